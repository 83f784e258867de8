// Work of the same number of steps on all ranks of a communicator.
//
// Each would find another number for the same time, and who works longer keeps the others waiting.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "native/base/chain.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::parallel {

class EqualWork {
 public:
  // The communicator outlives it.
  explicit EqualWork(const Communicator& communicator) : communicator_(communicator) {}

  // How many steps take about so long on the first rank. Collective.
  std::int64_t steps(double about_s) {
    const auto [place, asked] = steps_.try_emplace(about_s, 0);
    if (asked) {
      place->second = chain_.steps(about_s);
      HAKARU_MPI(MPI_Bcast(&place->second, 1, MPI_INT64_T, 0, communicator_.handle()));
    }
    return place->second;
  }
  void run(std::int64_t steps) { chain_.run(steps); }
  // What one took here beside so many of something else, in s.
  double run_s(std::int64_t steps, int runs) {
    constexpr int least = 32, most = 1024;
    return chain_.run_s(steps, std::clamp(runs, least, most));
  }

 private:
  const Communicator& communicator_;
  std::map<double, std::int64_t> steps_;  // by the time that was asked for
  base::Chain chain_;
};

}  // namespace hakaru::parallel
