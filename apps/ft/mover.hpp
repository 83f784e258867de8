// Carries out transpositions between the arrays of a rank.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "apps/ft/steps.hpp"
#include "native/base/aligned.hpp"
#include "native/parallel/slab_move.hpp"

namespace hakaru::apps::ft {

inline constexpr int arrived = 1;  // flag: raised by every transfer where its data come to

class Mover {
 public:
  // Collective. The arrays are zero, and with method=put exposed to the other ranks.
  Mover(const Plan& plan, const parallel::Communicator& world);

  Complex* array(Array array);

  // Collective. Between barriers of all ranks, which say that the target's old contents are used up
  // and (published style) that the source's may be overwritten.
  void move(Array from, Array to);   // the sender puts
  void fetch(Array from, Array to);  // the receiver gets

 private:
  void put(Array from, Array to);
  void exchange(Array from, Array to);
  std::size_t offset(Array array) const { return offsets_[static_cast<std::size_t>(array)]; }

  Plan plan_;
  const parallel::Communicator& world_;
  std::array<std::size_t, arrays> offsets_{};  // B
  std::optional<parallel::RemoteMemory> exposed_;
  base::AlignedArray<std::byte> own_;
  std::vector<Complex> outgoing_, incoming_;  // of MPI_Alltoall
};

}  // namespace hakaru::apps::ft
