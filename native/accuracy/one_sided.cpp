#include <algorithm>

#include "calls.hpp"

namespace hakaru::calls {
namespace {

constexpr std::size_t exposed_bytes = std::size_t{1} << 18;
constexpr double epoch_s = 3e-6;    // a fence, or post to wait
constexpr double passive_s = 4e-7;  // an access and its flush

// Memory of the library's own choice, exposed to all ranks.
class Exposed {
 public:
  Exposed() {
    void* base = nullptr;
    MPI_Win_allocate(static_cast<MPI_Aint>(exposed_bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                     &window_);
    MPI_Comm_group(MPI_COMM_WORLD, &all_);
  }
  ~Exposed() {
    MPI_Group_free(&all_);
    MPI_Win_free(&window_);
  }
  Exposed(const Exposed&) = delete;
  Exposed& operator=(const Exposed&) = delete;

  MPI_Win window() const { return window_; }

  MPI_Group only(int rank) const {
    MPI_Group one = MPI_GROUP_NULL;
    MPI_Group_incl(all_, 1, &rank, &one);
    return one;
  }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  MPI_Group all_ = MPI_GROUP_NULL;
};

void put(const Ranks& all, const Exposed& exposed, std::size_t bytes) {
  const int count = static_cast<int>(bytes);
  MPI_Put(all.to.data(), count, MPI_CHAR, all.next, 0, count, MPI_CHAR, exposed.window());
}

void fence(Ranks& all) {
  const Exposed exposed;
  MPI_Win_fence(0, exposed.window());
  for (const std::size_t bytes : sizes(exposed_bytes))
    for (int i = 0; i < often(bytes, epoch_s); ++i) {
      put(all, exposed, bytes);
      MPI_Win_fence(0, exposed.window());
    }
}

// Post, start, complete, wait between neighbours on a ring.
void general_active_target(Ranks& all) {
  const Exposed exposed;
  MPI_Group origin = exposed.only(all.previous);
  MPI_Group target = exposed.only(all.next);
  for (const std::size_t bytes : sizes(exposed_bytes))
    for (int i = 0; i < often(bytes, epoch_s); ++i) {
      MPI_Win_post(origin, 0, exposed.window());
      MPI_Win_start(target, 0, exposed.window());
      put(all, exposed, bytes);
      MPI_Win_complete(exposed.window());
      MPI_Win_wait(exposed.window());
    }
  MPI_Group_free(&origin);
  MPI_Group_free(&target);
}

void locks(Ranks& all) {
  const Exposed exposed;
  for (const std::size_t bytes : sizes(exposed_bytes))
    for (int i = 0; i < often(bytes, passive_s) && all.rank == 0; ++i) {
      MPI_Win_lock(MPI_LOCK_SHARED, all.next, 0, exposed.window());
      put(all, exposed, bytes);
      MPI_Win_unlock(all.next, exposed.window());
    }
  MPI_Barrier(MPI_COMM_WORLD);
}

template <class Access>
void flushed(Ranks& all, Access access) {
  const Exposed exposed;
  MPI_Win_lock_all(0, exposed.window());
  for (const std::size_t bytes : sizes(exposed_bytes))
    for (int i = 0; i < often(bytes, passive_s) && all.rank == 0; ++i) {
      access(exposed, bytes);
      MPI_Win_flush(all.next, exposed.window());
    }
  MPI_Win_unlock_all(exposed.window());
  MPI_Barrier(MPI_COMM_WORLD);
}

void put_flush(Ranks& all) {
  flushed(all, [&](const Exposed& exposed, std::size_t bytes) { put(all, exposed, bytes); });
}

void get_flush(Ranks& all) {
  flushed(all, [&](const Exposed& exposed, std::size_t bytes) {
    const int count = static_cast<int>(bytes);
    MPI_Get(all.from.data(), count, MPI_CHAR, all.next, 0, count, MPI_CHAR, exposed.window());
  });
}

// At least one number: what libraries do for none is no accumulation.
void accumulate(Ranks& all) {
  flushed(all, [&](const Exposed& exposed, std::size_t bytes) {
    bytes = std::max(bytes, sizeof(double));
    const int count = static_cast<int>(bytes / sizeof(double));
    MPI_Accumulate(all.to.data(), count, MPI_DOUBLE, all.next, 0, count, MPI_DOUBLE, MPI_SUM,
                   exposed.window());
  });
}

}  // namespace

std::map<std::string, Program> one_sided() {
  return {{"fence", fence},         {"pscw", general_active_target}, {"locks", locks},
          {"put_flush", put_flush}, {"get_flush", get_flush},        {"accumulate", accumulate}};
}

}  // namespace hakaru::calls
