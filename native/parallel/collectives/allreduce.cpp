#include <functional>
#include <vector>

#include "native/parallel/collectives/broadcast.hpp"
#include "native/parallel/collectives/exchange.hpp"

namespace hakaru::parallel::collectives {
namespace {

using Values = std::span<double>;

void add(Values values, const std::vector<double>& others) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += others[i];
}

// Where P is no power of two, the first 2 (P - power) ranks pair up: the even one gives its vector
// to the odd one beforehand, sits out, and gets the result afterwards (Rabenseifner 2004).
void folded(
    const Communicator& c, Values values,
    const std::function<void(int rank, int power, const std::function<int(int)>& real)>& body) {
  const int power = power_below(c.size()), pairs = c.size() - power, rank = c.rank();
  const std::size_t bytes = values.size_bytes();
  const bool paired = rank < 2 * pairs;
  if (paired && rank % 2 == 0) {
    send(c, rank + 1, values.data(), bytes);
    return receive(c, rank + 1, values.data(), bytes);
  }
  if (paired) {
    std::vector<double> others(values.size());
    receive(c, rank - 1, others.data(), bytes);
    add(values, others);
  }
  body(paired ? rank / 2 : rank - pairs, power,
       [pairs](int folded) { return folded < pairs ? 2 * folded + 1 : folded + pairs; });
  if (paired) send(c, rank - 1, values.data(), bytes);
}

// log2 P exchanges of the whole vector.
void recursive_doubling(const Communicator& c, Values values) {
  folded(c, values, [&](int rank, int power, const auto& real) {
    std::vector<double> others(values.size());
    for (int distance = 1; distance < power; distance *= 2) {
      const int partner = real(rank ^ distance);
      exchange(c, partner, values.data(), values.size_bytes(), partner, others.data(),
               values.size_bytes());
      add(values, others);
    }
  });
}

// P - 1 steps that sum part after part around the ring, and P - 1 that pass the sums around.
void ring(const Communicator& c, Values values) {
  const int size = c.size(), rank = c.rank();
  const auto part = [&](int i) {
    const Part one = part_of(values.size(), size, around(i, size));
    return values.subspan(one.first, one.length);
  };
  const int next = around(rank + 1, size), previous = around(rank - 1, size);
  std::vector<double> others(part_of(values.size(), size, 0).length);
  for (int step = 0; step + 1 < size; ++step) {
    const Values out = part(rank - step), in = part(rank - step - 1);
    exchange(c, next, out.data(), out.size_bytes(), previous, others.data(), in.size_bytes());
    add(in, others);
  }
  for (int step = 0; step + 1 < size; ++step) {
    const Values out = part(rank + 1 - step), in = part(rank - step);
    exchange(c, next, out.data(), out.size_bytes(), previous, in.data(), in.size_bytes());
  }
}

// Reduce-scatter by recursive halving of the vector between ever farther partners, and an allgather
// that goes the same way back (Rabenseifner 2004).
void rabenseifner(const Communicator& c, Values values) {
  folded(c, values, [&](int rank, int power, const auto& real) {
    const auto range = [&](int first, int parts) {
      const std::size_t begin = part_of(values.size(), power, first).first;
      const Part last = part_of(values.size(), power, first + parts - 1);
      return values.subspan(begin, last.first + last.length - begin);
    };
    std::vector<double> others(values.size());
    int first = 0;  // of the parts that this rank sums
    for (int bit = 1, parts = power / 2; bit < power; bit *= 2, parts /= 2) {
      const int partner = real(rank ^ bit);
      const bool upper = rank & bit;
      const Values keep = range(first + (upper ? parts : 0), parts);
      const Values give = range(first + (upper ? 0 : parts), parts);
      exchange(c, partner, give.data(), give.size_bytes(), partner, others.data(),
               keep.size_bytes());
      add(keep, others);
      first += upper ? parts : 0;
    }
    for (int bit = power / 2, parts = 1; bit > 0; bit /= 2, parts *= 2) {
      const int partner = real(rank ^ bit);
      const int theirs = first ^ parts;
      const Values own = range(first, parts), other = range(theirs, parts);
      exchange(c, partner, own.data(), own.size_bytes(), partner, other.data(), other.size_bytes());
      first &= ~parts;
    }
  });
}

// Up a binomial tree to rank 0, and down it.
void reduce_broadcast(const Communicator& c, Values values) {
  const int rank = c.rank();
  std::vector<double> others(values.size());
  for (int bit = 1; bit < c.size(); bit *= 2) {
    if (rank & bit) {
      send(c, rank - bit, values.data(), values.size_bytes());
      break;
    }
    if (rank + bit < c.size()) {
      receive(c, rank + bit, others.data(), values.size_bytes());
      add(values, others);
    }
  }
  broadcast_binomial(c, reinterpret_cast<std::byte*>(values.data()), values.size_bytes(), 0);
}

constexpr Named<Allreduce> list[] = {{"recursive_doubling", recursive_doubling},
                                     {"ring", ring},
                                     {"rabenseifner", rabenseifner},
                                     {"reduce_broadcast", reduce_broadcast}};

}  // namespace

std::span<const Named<Allreduce>> allreduces() { return list; }

}  // namespace hakaru::parallel::collectives
