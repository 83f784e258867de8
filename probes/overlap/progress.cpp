#include "probes/overlap/progress.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "native/base/clock.hpp"

namespace hakaru::probes::overlap {
namespace {

constexpr int tag = 1;

void compute_for(double seconds) {
  for (const double begin = base::now_s(); base::now_s() - begin < seconds;) {
  }
}

class Message {
 public:
  Message(const parallel::Communicator& both, std::int64_t bytes)
      : both_(both), data_(static_cast<std::size_t>(bytes)) {}

  // The other side waits at once. Returns (seconds of computing, seconds of waiting after it).
  std::array<double, 2> move(bool computes, double compute_s, int tests) {
    static unsigned char seed = 0;
    ++seed;
    for (std::size_t i = 0; i < data_.size(); ++i)
      data_[i] = both_.rank() == 0 ? expected(i, seed) : 0;
    both_.barrier();
    MPI_Request request = MPI_REQUEST_NULL;
    const int count = static_cast<int>(data_.size());
    if (both_.rank() == 0)
      HAKARU_MPI(MPI_Isend(data_.data(), count, MPI_BYTE, 1, tag, both_.handle(), &request));
    else
      HAKARU_MPI(MPI_Irecv(data_.data(), count, MPI_BYTE, 0, tag, both_.handle(), &request));
    const double posted = base::now_s();
    if (computes)
      for (int part = 0; part <= tests; ++part) {
        compute_for(compute_s / (tests + 1));
        int done = 0;
        if (part < tests) HAKARU_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
      }
    const double computed = base::now_s();
    HAKARU_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    const double end = base::now_s();
    seed_ = seed;
    return {computed - posted, end - computed};
  }

  void spoil() {
    if (both_.rank() == 1) data_[data_.size() / 2] ^= 1;
  }
  std::int64_t wrong() const {
    std::int64_t found = 0;
    for (std::size_t i = 0; i < data_.size(); ++i) found += data_[i] != expected(i, seed_);
    return found;
  }

 private:
  static unsigned char expected(std::size_t i, unsigned char seed) {
    return static_cast<unsigned char>(i * 13 + i / 255 + seed);
  }
  const parallel::Communicator& both_;
  std::vector<unsigned char> data_;
  unsigned char seed_ = 0;
};

}  // namespace

Progress measure_progress(const parallel::Communicator& both, Side side, std::int64_t bytes,
                          int tests, double times_longer, bool damage) {
  const int computing = side == Side::sender ? 0 : 1;
  Message message(both, bytes);
  std::vector<double> times(3);
  times[0] = both.maximum(message.move(false, 0.0, 0)[1]);
  // At least a microsecond, so that there is something to hide behind.
  const double compute_s = std::max(times[0] * times_longer, 1e-6);
  const auto [computed_s, waited_s] = message.move(both.rank() == computing, compute_s, tests);
  if (damage) message.spoil();
  times[1] = computed_s;
  times[2] = waited_s;
  both.broadcast(times, computing);
  return {both.maximum(times[0]), times[1], times[2], both.sum(message.wrong())};
}

}  // namespace hakaru::probes::overlap
