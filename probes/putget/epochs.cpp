#include "probes/putget/epochs.hpp"

#include <algorithm>

#include "native/base/chain.hpp"
#include "native/base/clock.hpp"
#include "probes/putget/sampling.hpp"

namespace hakaru::probes::putget {
namespace {

double clock_s() {
  constexpr int readings = 64;
  return mean_s(readings, [] { base::now_s(); });
}

constexpr double late_s = 2e-6;  // beyond what a fence of two ranks on a host takes

double all_done_s() {
  constexpr int times = 1000;
  return mean_s(times, base::all_done);
}

void nothing() {}

}  // namespace

const char* name_of(Memory memory) { return memory == Memory::allocated ? "allocated" : "created"; }

const char* name_of(Access access) {
  static const char* const names[] = {"put", "get", "accumulate"};
  return names[static_cast<int>(access)];
}

std::string name_of(Epoch epoch, Spacing spacing) {
  static const char* const names[] = {"fence", "exposure", "lock", "lock_all", "flush"};
  const std::string name = names[static_cast<int>(epoch)];
  static const char* const spacings[] = {"", "_apart", "_late"};
  return name + spacings[static_cast<int>(spacing)];
}

bool is_timed(Epoch epoch, Spacing spacing) {
  return spacing != Spacing::late || epoch == Epoch::fence;
}

const std::vector<Epoch>& all_epochs() {
  static const std::vector<Epoch> epochs{Epoch::fence, Epoch::exposure, Epoch::lock,
                                         Epoch::lock_all, Epoch::flush};
  return epochs;
}

Epochs::Epochs(const parallel::Communicator& both, Memory memory, std::int64_t longest_bytes)
    : both_(both),
      other_(1 - both.rank()),
      work_(both),
      items_(static_cast<std::size_t>(longest_bytes / 8 + 1)),
      local_(items_ + page_items, 0.0) {
  const auto bytes = static_cast<MPI_Aint>(items_ * sizeof(double));
  if (memory == Memory::allocated) {
    HAKARU_MPI(MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, both.handle(), &exposed_, &window_));
    std::fill_n(exposed_, items_, 0.0);
  } else {
    memory_.assign(items_, 0.0);
    exposed_ = memory_.data();
    HAKARU_MPI(MPI_Win_create(memory_.data(), bytes, 8, MPI_INFO_NULL, both.handle(), &window_));
  }
  MPI_Group all = MPI_GROUP_NULL;
  HAKARU_MPI(MPI_Comm_group(both.handle(), &all));
  HAKARU_MPI(MPI_Group_incl(all, 1, &other_, &partner_));
  HAKARU_MPI(MPI_Group_free(&all));
  both_.barrier();
}

Epochs::~Epochs() {
  MPI_Group_free(&partner_);
  MPI_Win_free(&window_);
}

void Epochs::start(Access access, std::int64_t bytes) { start(access, bytes, home(bytes), 0); }

void Epochs::start(Access access, std::int64_t bytes, double* home, MPI_Aint place) {
  const int count = static_cast<int>(bytes / 8);
  switch (access) {
    case Access::put:
      HAKARU_MPI(MPI_Put(home, count, MPI_DOUBLE, other_, place, count, MPI_DOUBLE, window_));
      return;
    case Access::get:
      HAKARU_MPI(MPI_Get(home, count, MPI_DOUBLE, other_, place, count, MPI_DOUBLE, window_));
      return;
    case Access::accumulate:
      HAKARU_MPI(MPI_Accumulate(home, count, MPI_DOUBLE, other_, place, count, MPI_DOUBLE, MPI_SUM,
                                window_));
      return;
  }
}

AccessTime Epochs::access(Access access, std::int64_t bytes, int iterations) {
  AccessTime time{};
  into_page_ = (into_page_ + line_items) % page_items;
  HAKARU_MPI(MPI_Win_lock_all(0, window_));
  both_.barrier();
  if (both_.rank() == 0) {
    train(access, bytes, 1);
    time.single_s = mean_s(iterations, [&] { train(access, bytes, 1); });
    time.train_s = mean_s(iterations, [&] { train(access, bytes, train_accesses); });
    time.call_s = calls_s(access, bytes, Spacing::in_a_row, iterations);
    time.apart_s = calls_s(access, bytes, Spacing::apart, iterations);
  }
  both_.barrier();
  time.new_s = new_data_s(access, bytes, iterations);
  HAKARU_MPI(MPI_Win_unlock_all(window_));
  both_.barrier();
  return time;
}

void Epochs::train(Access access, std::int64_t bytes, int accesses) {
  for (int i = 0; i < accesses; ++i) start(access, bytes);
  HAKARU_MPI(MPI_Win_flush(other_, window_));
}

// One of a train without its flush. A reading of the clock takes as long as a short access.
double Epochs::calls_s(Access access, std::int64_t bytes, Spacing spacing, int iterations) {
  const bool apart = spacing == Spacing::apart;
  double sum_s = 0.0;
  for (int i = 0; i < iterations; ++i) {
    const double begin = base::now_s();
    for (int j = 0; j < train_accesses; ++j) {
      start(access, bytes);
      if (apart) base::all_done();
    }
    sum_s += base::now_s() - begin;
    HAKARU_MPI(MPI_Win_flush(other_, window_));
  }
  const double calls_s = std::max(sum_s / iterations - clock_s(), 0.0) / train_accesses;
  return apart ? std::max(calls_s - all_done_s(), 0.0) : calls_s;
}

// Rank 0 has computed what it sends, number by number, and the other has used the memory that is
// accessed: read what puts write, and computed what gets read.
double Epochs::new_data_s(Access access, std::int64_t bytes, int most) {
  const std::size_t count = static_cast<std::size_t>(bytes) / sizeof(double);
  const auto room = static_cast<std::int64_t>(items_ * sizeof(double));
  const auto [places, rows] = rows_of(bytes, room, most);
  const std::size_t all = places * count;
  const auto prepare = [&] {
    HAKARU_MPI(MPI_Win_sync(window_));
    if (both_.rank() == 0)
      used_ = compute_numbers(local_.data(), all, used_);
    else if (access == Access::put)
      used_ = use_numbers(exposed_, all);
    else
      used_ = compute_numbers(exposed_, all, used_);
  };
  const auto row = [&] {
    for (int j = 0; j < places; ++j)
      start(access, bytes, local_.data() + j * count, static_cast<MPI_Aint>(j * count));
  };
  double sum_s = 0.0;
  for (int i = -1; i < rows; ++i) {
    const double one_s =
        row_s(both_, prepare, row, [&] { HAKARU_MPI(MPI_Win_flush(other_, window_)); });
    if (i >= 0) sum_s += one_s;
  }
  return std::max(sum_s / rows - clock_s(), 0.0) / places;
}

template <class Between>
void Epochs::one_epoch(Epoch epoch, Between between) {
  constexpr std::int64_t bytes = 8;
  switch (epoch) {
    case Epoch::fence:
      start(Access::put, bytes);
      between();
      HAKARU_MPI(MPI_Win_fence(0, window_));
      return;
    case Epoch::exposure:
      HAKARU_MPI(MPI_Win_post(partner_, 0, window_));
      between();
      HAKARU_MPI(MPI_Win_start(partner_, 0, window_));
      between();
      start(Access::put, bytes);
      between();
      HAKARU_MPI(MPI_Win_complete(window_));
      between();
      HAKARU_MPI(MPI_Win_wait(window_));
      return;
    case Epoch::lock:
      HAKARU_MPI(MPI_Win_lock(MPI_LOCK_SHARED, other_, 0, window_));
      between();
      start(Access::put, bytes);
      between();
      HAKARU_MPI(MPI_Win_unlock(other_, window_));
      return;
    case Epoch::lock_all:
      HAKARU_MPI(MPI_Win_lock_all(0, window_));
      between();
      start(Access::put, bytes);
      between();
      HAKARU_MPI(MPI_Win_unlock_all(window_));
      return;
    case Epoch::flush:
      HAKARU_MPI(MPI_Win_flush(other_, window_));
      return;
  }
}

double Epochs::epoch(Epoch epoch, Spacing spacing, int iterations) {
  const bool fences = epoch == Epoch::fence, both_come = fences || epoch == Epoch::exposure;
  if (fences) HAKARU_MPI(MPI_Win_fence(0, window_));
  if (epoch == Epoch::flush) HAKARU_MPI(MPI_Win_lock_all(0, window_));
  int calls = 1;
  one_epoch(epoch, [&calls] { ++calls; });
  both_.barrier();
  double seconds = 0.0;
  if (spacing == Spacing::in_a_row) {
    seconds = mean_s(iterations, [&] { one_epoch(epoch, nothing); });
  } else {
    const std::int64_t least = work_.steps(both_come ? base::apart_s : 0.0),
                       most =
                           spacing == Spacing::late ? work_.steps(base::apart_s + late_s) : least,
                       work = both_.rank() == 0 ? least : most;
    seconds = mean_s(iterations, [&] {
      work_.run(work);
      one_epoch(epoch, [] { base::all_done(); });
      base::all_done();
    });
    seconds -= work_.run_s(most, iterations) + calls * all_done_s();
  }
  if (fences) HAKARU_MPI(MPI_Win_fence(MPI_MODE_NOSUCCEED, window_));
  if (epoch == Epoch::flush) HAKARU_MPI(MPI_Win_unlock_all(window_));
  both_.barrier();
  return seconds;
}

}  // namespace hakaru::probes::putget
