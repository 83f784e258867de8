// hakaru_calls KIND: an MPI program that makes one kind of call over all sizes for some tenths of a
// second, on two ranks or more. `hakaru_calls list` names the kinds, one a line.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "calls.hpp"

namespace hakaru::calls {

Ranks::Ranks(std::size_t bytes) : to(bytes, 1), from(bytes, 2) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  next = (rank + 1) % ranks;
  previous = (rank + ranks - 1) % ranks;
}

std::vector<std::size_t> sizes(std::size_t longest) {
  std::vector<std::size_t> found = {0};
  for (std::size_t bytes = 1; bytes <= longest; bytes *= 8) found.push_back(bytes);
  return found;
}

int often(std::size_t bytes, double call_s) {
  return 2 * std::max(2, static_cast<int>(0.01 / (call_s + static_cast<double>(bytes) / 4e9)));
}

}  // namespace hakaru::calls

int main(int argc, char** argv) {
  using namespace hakaru::calls;
  std::map<std::string, Program> programs = two_sided();
  programs.merge(one_sided());
  programs.merge(collective());
  const std::string kind = argc == 2 ? argv[1] : "";
  if (kind == "list") {
    for (const auto& [name, program] : programs) std::puts(name.c_str());
    return 0;
  }
  const auto found = programs.find(kind);
  if (found == programs.end()) {
    std::fprintf(
        stderr,
        "hakaru_calls: there is no kind '%s' (%zu are known); name one of `hakaru_calls list`\n",
        kind.c_str(), programs.size());
    return 2;
  }
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) {
    std::fprintf(stderr, "hakaru_calls: one rank has nobody to call; start two or more\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Ranks all(longest_bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  found->second(all);
  MPI_Finalize();
}
