#include "probes/overlap/ways.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "native/base/aligned.hpp"
#include "native/base/clock.hpp"
#include "native/parallel/remote_memory.hpp"
#include "probes/overlap/loads.hpp"

namespace hakaru::probes::overlap {
namespace {

using parallel::Communicator;

constexpr int arrived = 1;  // flag of a put

// One way of getting the vector from rank 0 to the others.
class Sending {
 public:
  Sending(const Communicator& group, Way way, int iterations, std::span<double> vector,
          parallel::RemoteMemory* memory)
      : group_(group), way_(way), vector_(vector), memory_(memory) {
    const bool sends = group.rank() == 0;
    if (sends && way != Way::none) requests_.assign(group.size() - 1, MPI_REQUEST_NULL);
    if (sends && way == Way::persistent)
      for (int to = 1; to < group.size(); ++to)
        HAKARU_MPI(MPI_Send_init(vector.data(), count(), MPI_DOUBLE, to, 0, group.handle(),
                                 &requests_[to - 1]));
    if (way == Way::put && memory_ == nullptr) {
      own_ = memory_for(group, static_cast<std::int64_t>(vector.size()), iterations);
      memory_ = own_.get();
    }
  }
  ~Sending() {
    if (way_ == Way::persistent)
      for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;

  void transfer(int iteration) {
    if (way_ == Way::none) return fill(vector_, iteration);
    if (group_.rank() == 0)
      start(iteration);
    else
      receive(iteration);
  }

  // The true point of synchronisation: from here on rank 0 may change the vector.
  void complete() {
    if (group_.rank() != 0) return;
    if (way_ == Way::nonblocking || way_ == Way::persistent)
      for (MPI_Request& request : requests_) HAKARU_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (way_ == Way::put) memory_->acknowledge();
  }

 private:
  int count() const { return static_cast<int>(vector_.size()); }
  int tag(int iteration) const { return way_ == Way::persistent ? 0 : iteration; }
  std::size_t place(int iteration) const {
    return 8 * vector_.size() * static_cast<std::size_t>(iteration);
  }

  void start(int iteration) {
    fill(vector_, iteration);
    for (int to = 1; to < group_.size(); ++to) {
      if (way_ == Way::blocking)
        HAKARU_MPI(MPI_Send(vector_.data(), count(), MPI_DOUBLE, to, iteration, group_.handle()));
      else if (way_ == Way::nonblocking)
        HAKARU_MPI(MPI_Isend(vector_.data(), count(), MPI_DOUBLE, to, iteration, group_.handle(),
                             &requests_[to - 1]));
      else if (way_ == Way::persistent)
        HAKARU_MPI(MPI_Start(&requests_[to - 1]));
      else
        memory_->put(to, place(iteration), vector_.data(), 8 * vector_.size(), {0, arrived});
    }
  }

  void receive(int iteration) {
    if (way_ != Way::put) {
      HAKARU_MPI(MPI_Recv(vector_.data(), count(), MPI_DOUBLE, 0, tag(iteration), group_.handle(),
                          MPI_STATUS_IGNORE));
      return;
    }
    memory_->wait_flag(arrived);
    const double* from = memory_->as<double>(place(iteration));
    std::copy(from, from + vector_.size(), vector_.begin());
  }

  const Communicator& group_;
  Way way_;
  std::span<double> vector_;
  std::vector<MPI_Request> requests_;
  parallel::RemoteMemory* memory_;
  std::unique_ptr<parallel::RemoteMemory> own_;
};

// The vectors a and b at the same places of a page in every way of sending: half a page apart,
// since a store and a later load at the same place of two pages hold each other up.
class Vectors {
 public:
  explicit Vectors(std::size_t n)
      : n_(n),
        second_((n + page - 1) / page * page + page / 2),
        storage_(second_ + n, base::Pages::base) {
    std::fill(storage_.begin(), storage_.end(), 0.0);
  }
  std::pair<std::span<double>, std::span<double>> both() {
    return {{storage_.data(), n_}, {storage_.data() + second_, n_}};
  }

 private:
  static constexpr std::size_t page = 4096 / sizeof(double);
  std::size_t n_, second_;
  base::AlignedArray<double> storage_;
};

}  // namespace

std::string name_of(Way way) {
  switch (way) {
    case Way::none:
      return "none";
    case Way::blocking:
      return "blocking";
    case Way::nonblocking:
      return "nonblocking";
    case Way::persistent:
      return "persistent";
    case Way::put:
      return "put";
  }
  return "";
}

const std::vector<Way>& all_ways() {
  static const std::vector<Way> ways{Way::none, Way::blocking, Way::nonblocking, Way::persistent,
                                     Way::put};
  return ways;
}

std::unique_ptr<parallel::RemoteMemory> memory_for(const Communicator& group, std::int64_t n,
                                                   int iterations) {
  const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(n);
  return std::make_unique<parallel::RemoteMemory>(group,
                                                  bytes * static_cast<std::size_t>(iterations), 1);
}

Outcome run_program(const Communicator& group, Way way, std::int64_t n, int iterations, bool loaded,
                    bool damage, base::Phases* phases, parallel::RemoteMemory* memory) {
  const int rank = group.rank(), ranks = group.size();
  Vectors vectors(static_cast<std::size_t>(n));
  const std::span<double> a = vectors.both().first, b = vectors.both().second;
  Outcome outcome;
  const auto in = [phases](const char* phase, const auto& body) {
    if (phases == nullptr) return body();
    auto scope = phases->scope(phase);
    body();
  };
  Sending sending(group, way, iterations, a, memory);
  in("messages", [&] { group.barrier(); });
  const double begin = base::now_s();
  double checking_s = 0.0;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    if (loaded) in("before", [&] { work_before(a, rank); });
    in("messages", [&] { sending.transfer(iteration); });
    if (damage && rank == ranks - 1) a[a.size() / 2] += 1.0;
    if (loaded) in("after", [&] { work_after(a, b, rank, ranks); });
    in("messages", [&] { sending.complete(); });
    if (loaded) {
      const double before = base::now_s();
      outcome.wrong += wrong_elements(a, b, iteration, rank, ranks);
      checking_s += base::now_s() - before;
    }
  }
  in("messages", [&] { group.barrier(); });
  // The check of a rank may hold up others; it is of order N beside work of order N^2.
  outcome.seconds = base::now_s() - begin - checking_s;
  return outcome;
}

}  // namespace hakaru::probes::overlap
