// The arrays of a rank, exposed to the others, and their moves from one layout to another.
#pragma once

#include <array>

#include "apps/sp/steps.hpp"
#include "native/parallel/slab_move.hpp"

namespace hakaru::apps::sp {

inline constexpr int arrived = 1;  // flag: raised by every transfer where its data come to

class Mover {
 public:
  // Collective. The arrays are zero.
  Mover(const Plan& plan, const parallel::Communicator& world);

  double* array(Array array, Layout layout);

  // Collective: strided PUTs, after a barrier, until all has arrived; in the published style a
  // barrier follows.
  void move(Array array, Layout from, Layout to);

 private:
  std::size_t& offset(Array array, Layout layout) {
    return offsets_[static_cast<std::size_t>(layout)][static_cast<std::size_t>(array)];
  }
  static std::size_t lay_out(const Plan& plan,
                             std::array<std::array<std::size_t, arrays>, layouts>& offsets);

  Plan plan_;
  const parallel::Communicator& world_;
  std::array<std::array<std::size_t, arrays>, layouts> offsets_{};  // B
  parallel::RemoteMemory exposed_;
};

}  // namespace hakaru::apps::sp
