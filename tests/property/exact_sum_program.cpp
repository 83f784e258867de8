// Sums doubles in many ways, for test_exact_sum.py: standard input of rank 0 is a list of cases,
// each a count (64-bit) and that many doubles. For each case one line of bit patterns, in
// hexadecimal: one by one, backwards, as one array, from merged parts, and over all ranks.
#include <cstdio>
#include <iostream>
#include <span>
#include <vector>

#include "native/parallel/environment.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace {

using hakaru::parallel::Communicator;
using hakaru::parallel::exact_sum;
using hakaru::parallel::ExactSum;

// Every stride-th value from `first` on.
ExactSum strided(std::span<const double> values, std::size_t first, std::size_t stride) {
  ExactSum sum;
  for (std::size_t i = first; i < values.size(); i += stride) sum.add(values[i]);
  return sum;
}

double backwards(std::span<const double> values) {
  ExactSum sum;
  for (std::size_t i = values.size(); i-- > 0;) sum.add(values[i]);
  return sum.value();
}

double as_array(std::span<const double> values) {
  ExactSum sum;
  sum.add(values);
  return sum.value();
}

double from_parts(std::span<const double> values, std::size_t parts) {
  ExactSum sum;
  for (std::size_t part = parts; part-- > 0;) sum.merge(strided(values, part, parts));
  return sum.value();
}

std::vector<double> read_case(bool& more) {
  std::uint64_t count = 0;
  more = static_cast<bool>(std::cin.read(reinterpret_cast<char*>(&count), sizeof count));
  std::vector<double> values(more ? count : 0);
  std::cin.read(reinterpret_cast<char*>(values.data()),
                static_cast<std::streamsize>(values.size() * sizeof(double)));
  return values;
}

}  // namespace

int main(int argument_count, char** arguments) {
  hakaru::parallel::Environment environment(argument_count, arguments, MPI_THREAD_FUNNELED);
  const auto world = Communicator::world();
  while (true) {
    bool more = false;
    std::vector<double> values;
    if (world.rank() == 0) values = read_case(more);
    if (world.sum(more ? 1 : 0) == 0) return 0;
    values.resize(static_cast<std::size_t>(world.sum(static_cast<std::int64_t>(values.size()))));
    world.broadcast(values, 0);
    const auto rank = static_cast<std::size_t>(world.rank());
    const auto ranks = static_cast<std::size_t>(world.size());
    const double over_ranks = exact_sum(world, strided(values, rank, ranks));
    if (world.rank() != 0) continue;
    for (const double sum : {strided(values, 0, 1).value(), backwards(values), as_array(values),
                             from_parts(values, 7), over_ranks})
      std::printf("%016llx ", static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(sum)));
    std::printf("\n");
  }
}
