#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "native/base/require.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::schedule {
namespace {

constexpr const char* advice = "the schedule was damaged or made by hand; make it again";

// Formats only what fails: a trace has millions of operations.
template <typename... Values>
void demand(bool condition, fmt::format_string<Values...> problem, Values&&... values) {
  if (condition) return;
  base::require(false, "this schedule cannot be used",
                fmt::format(problem, std::forward<Values>(values)...), advice);
}

// Which group of a family each rank belongs to, and its size.
class Membership {
 public:
  Membership(const CommunicatorFamily& family, std::int32_t ranks)
      : everyone_(family.groups.empty()), self_(family.self), ranks_(ranks) {
    if (everyone_) return;
    demand(!self_, "communicator '{}' is self and has groups", family.name);
    group_.assign(static_cast<std::size_t>(ranks), -1);
    for (const auto& group : family.groups) {
      demand(!group.empty(), "communicator '{}' has an empty group", family.name);
      for (const std::int32_t rank : group) {
        demand(rank >= 0 && rank < ranks, "communicator '{}' has rank {} of {}", family.name, rank,
               ranks);
        std::int32_t& own = group_[static_cast<std::size_t>(rank)];
        demand(own < 0, "communicator '{}' has rank {} twice", family.name, rank);
        own = static_cast<std::int32_t>(sizes_.size());
      }
      sizes_.push_back(static_cast<std::int32_t>(group.size()));
    }
  }

  // Ranks in the communicator of `rank`; 0 when it is in none.
  std::int32_t size(std::int32_t rank) const {
    if (everyone_) return self_ ? 1 : ranks_;
    const std::int32_t group = group_[static_cast<std::size_t>(rank)];
    return group < 0 ? 0 : sizes_[static_cast<std::size_t>(group)];
  }
  bool together(std::int32_t rank, std::int32_t peer) const {
    if (everyone_) return !self_ || rank == peer;
    return group_[static_cast<std::size_t>(rank)] == group_[static_cast<std::size_t>(peer)];
  }
  bool everyone() const { return everyone_ && !self_; }

 private:
  bool everyone_, self_;
  std::int32_t ranks_;
  std::vector<std::int32_t> group_, sizes_;
};

// What a stream uses of communicators that depends on the rank.
struct Use {
  std::uint32_t communicator;
  std::int32_t least_size;  // root + 1
  std::int32_t list_size;   // or -1
  bool relative;
  std::int32_t peer;  // or -1 without relative
  bool has_peer;
  auto key() const {
    return std::tie(communicator, least_size, list_size, relative, peer, has_peer);
  }
  bool operator<(const Use& other) const { return key() < other.key(); }
};

// Checks one stream for itself, and collects what has to be checked with each of its ranks.
class StreamCheck {
 public:
  StreamCheck(const Schedule& schedule, const std::vector<Membership>& families, std::size_t number)
      : schedule_(schedule),
        families_(families),
        number_(number),
        stream_(schedule.streams[number]) {}

  // `thread`: the stream is no rank's; `threads`: some streams are.
  const std::set<Use>& check(bool thread, bool threads) {
    thread_ = shares_requests_ = thread;
    for (std::size_t i = 0; threads && i < stream_.size() && !shares_requests_; ++i)
      shares_requests_ = stream_[i].kind == Kind::fork;
    must(stream_.size() <= std::numeric_limits<std::int32_t>::max(), "it is too long");
    for (at_ = 0; at_ < stream_.size(); ++at_) check(stream_[at_]);
    must(loops_.empty(), "a loop has no end");
    must(unfolded_ <= most_operations,
         "it has {:.3g} operations with loops unfolded, more than {:g}", unfolded_,
         most_operations);
    return uses_;
  }
  const std::vector<std::size_t>& forked() const { return forked_; }

 private:
  struct Loop {
    std::size_t begin;
    double outer_times;
    std::vector<bool> requests;
    std::size_t phases;
  };

  template <typename... Values>
  void must(bool condition, fmt::format_string<Values...> problem, Values&&... values) const {
    if (!condition)
      demand(false, "stream {}, operation {}: {}", number_, at_,
             fmt::format(problem, std::forward<Values>(values)...));
  }

  void check(const Operation& o) {
    must(static_cast<int>(o.kind) < kinds, "it is of no known kind");
    must(static_cast<int>(o.mode) < modes, "it has no known mode");
    must(o.phase == no_phase || o.phase < schedule_.phases.size(), "its phase is not listed");
    must(!o.grid || (o.kind == Kind::collective && o.collective == Collective::neighbour_exchange),
         "it is on a grid and no exchange between neighbours");
    must(!o.persistent || o.kind == Kind::isend, "it is persistent and no non-blocking send");
    if (o.kind == Kind::loop_begin) return begin_loop(o);
    if (o.kind == Kind::loop_end) return end_loop(o);
    unfolded_ += times_;
    if (o.kind == Kind::compute) return compute(o);
    if (o.kind == Kind::phase_begin || o.kind == Kind::phase_end) return mark(o);
    if (o.kind == Kind::fork) return fork(o);
    must(!thread_ || of_threads(o.kind), "a thread that was forked cannot do it");
    must(o.communicator < families_.size(), "its communicator is not listed");
    if (has_peer(o.kind)) peer(o);
    if (o.kind <= Kind::probe && o.payload != no_payload)
      must(o.payload > 0, "its data lie in pieces of no length");
    if (o.kind == Kind::collective) collective(o);
    if (o.kind == Kind::post || o.kind == Kind::start) partners(o);
    if ((o.kind == Kind::put || o.kind == Kind::get) && o.payload != no_payload) transfer(o);
    requests(o);
    if (!families_[o.communicator].everyone())
      uses_.insert({o.communicator, 1, -1, false, -1, false});
  }

  void begin_loop(const Operation& o) {
    must(loops_.size() < deepest_loop, "loops are nested deeper than {}", deepest_loop);
    must(o.payload > static_cast<std::int64_t>(at_) &&
             static_cast<std::size_t>(o.payload) < stream_.size() &&
             stream_[static_cast<std::size_t>(o.payload)].kind == Kind::loop_end,
         "the loop does not say where it ends");
    loops_.push_back({at_, times_, open_, phases_.size()});
    times_ *= static_cast<double>(o.bytes);
  }

  void end_loop(const Operation& o) {
    must(!loops_.empty() && o.payload == static_cast<std::int64_t>(loops_.back().begin) &&
             stream_[loops_.back().begin].payload == static_cast<std::int64_t>(at_),
         "a loop ends that did not begin");
    loops_.back().requests.resize(open_.size());
    must(shares_requests_ || loops_.back().requests == open_,
         "a loop leaves other requests open than it found open");
    must(loops_.back().phases == phases_.size(),
         "a loop leaves other phases open than it found open");
    times_ = loops_.back().outer_times;
    loops_.pop_back();
  }

  void compute(const Operation& o) {
    if (o.payload == no_payload)
      must(std::isfinite(o.seconds) && o.seconds >= 0.0, "its time is not a duration");
    else
      must(o.payload >= 0 && static_cast<std::size_t>(o.payload) < schedule_.works.size(),
           "its work is not listed");
  }

  static bool of_threads(Kind kind) {
    return kind <= Kind::collective || (kind >= Kind::file_read && kind <= Kind::file_close);
  }

  void fork(const Operation& o) {
    must(!thread_, "a thread that was forked cannot do it");
    must(o.payload >= 0 && static_cast<std::size_t>(o.payload) < schedule_.streams.size(),
         "its thread is not listed");
    must(o.request >= 0, "its request is none of 0 to {}", most_requests - 1);
    forked_.push_back(static_cast<std::size_t>(o.payload));
    requests(o);
  }

  void mark(const Operation& o) {
    must(!thread_, "a thread that was forked cannot do it");
    must(o.phase != no_phase, "it marks no phase");
    if (o.kind == Kind::phase_begin) return phases_.push_back(o.phase);
    const std::size_t outer = loops_.empty() ? 0 : loops_.back().phases;
    must(phases_.size() > outer && phases_.back() == o.phase,
         "a phase ends that is not the last begun");
    phases_.pop_back();
  }

  void peer(const Operation& o) {
    const bool all = o.kind == Kind::lock || o.kind == Kind::unlock || o.kind == Kind::flush;
    if (o.relative_peer) {
      must(o.peer > -schedule_.ranks && o.peer < schedule_.ranks, "its peer is no rank");
    } else {
      must(o.peer >= (all ? -1 : 0) && o.peer < schedule_.ranks, "its peer is no rank");
      if (o.peer < 0) return;
    }
    if (!families_[o.communicator].everyone())
      uses_.insert({o.communicator, 1, -1, o.relative_peer, o.peer, true});
  }

  void collective(const Operation& o) {
    must(static_cast<int>(o.collective) < collectives, "it is no known collective");
    must(!o.relative_peer, "the root of a collective cannot be relative");
    must(has_root(o.collective) ? o.peer >= 0 : o.peer >= -1, "its root is no rank");
    std::int32_t length = -1;
    if (o.payload != no_payload) {
      const auto& values = list(o);
      for (const std::int64_t value : values) must(value >= 0, "a length is negative");
      if (o.collective == Collective::neighbour_exchange)
        neighbours(values);
      else
        length = static_cast<std::int32_t>(std::min<std::size_t>(values.size(), most_ranks + 1));
    } else {
      must(o.collective != Collective::neighbour_exchange, "it has no list of neighbours");
    }
    uses_.insert(
        {o.communicator, has_root(o.collective) ? o.peer + 1 : 1, length, false, -1, false});
  }

  void neighbours(const std::vector<std::int64_t>& values) const {
    must(values.size() % 2 == 0, "its list does not consist of pairs");
    for (std::size_t i = 0; i < values.size(); i += 2)
      must(values[i] < schedule_.ranks, "a neighbour is no rank");
  }

  void partners(const Operation& o) const {
    for (const std::int64_t rank : list(o))
      must(rank >= 0 && rank < schedule_.ranks, "its list holds what is no rank");
  }

  void transfer(const Operation& o) const {
    const auto& values = list(o);
    must(values.size() == 2 && values[0] >= 0 && values[0] <= INT32_MAX && values[1] >= 0,
         "its list is not a flag and a number of items");
  }

  const std::vector<std::int64_t>& list(const Operation& o) const {
    must(o.payload >= 0 && static_cast<std::size_t>(o.payload) < schedule_.lists.size(),
         "its list is not listed");
    return schedule_.lists[static_cast<std::size_t>(o.payload)];
  }

  void requests(const Operation& o) {
    const bool wanted = o.kind == Kind::isend || o.kind == Kind::ireceive || o.kind == Kind::wait;
    must(o.request >= (wanted ? 0 : no_request) && o.request < most_requests,
         "its request is none of 0 to {}", most_requests - 1);
    if (o.request == no_request || shares_requests_) return;
    const auto request = static_cast<std::size_t>(o.request);
    if (request >= open_.size()) open_.resize(request + 1);
    if (o.kind == Kind::wait)
      must(open_[request], "it waits for a request that was not started");
    else
      must(!open_[request], "it starts a request that is not complete");
    open_[request] = o.kind != Kind::wait;
  }

  const Schedule& schedule_;
  const std::vector<Membership>& families_;
  std::size_t number_;
  const Stream& stream_;
  bool thread_ = false, shares_requests_ = false;
  std::vector<std::size_t> forked_;
  std::size_t at_ = 0;
  double times_ = 1.0, unfolded_ = 0.0;
  std::vector<Loop> loops_;
  std::vector<std::uint16_t> phases_;
  std::vector<bool> open_;  // by request number
  std::set<Use> uses_;
};

void check_use(const Use& use, const Membership& family, std::int32_t rank, std::int32_t ranks) {
  const std::int32_t size = family.size(rank);
  demand(size > 0, "rank {} uses communicator {}, of which it is no member", rank,
         use.communicator);
  demand(use.least_size <= size, "rank {} names root {} of {} ranks", rank, use.least_size - 1,
         size);
  demand(use.list_size < 0 || use.list_size == size, "rank {} gives {} lengths for {} ranks", rank,
         use.list_size, size);
  if (!use.has_peer) return;
  Operation operation;
  operation.peer = use.peer;
  operation.relative_peer = use.relative;
  const std::int32_t peer = peer_of(operation, rank, ranks);
  demand(family.together(rank, peer), "ranks {} and {} are in no common group of communicator {}",
         rank, peer, use.communicator);
}

void check_tables(const Schedule& schedule) {
  demand(schedule.ranks >= 1 && schedule.ranks <= most_ranks, "{} ranks are none of 1 to {}",
         schedule.ranks, most_ranks);
  demand(schedule.stream_of_rank.size() == static_cast<std::size_t>(schedule.ranks),
         "not every rank has a stream");
  for (const std::uint32_t stream : schedule.stream_of_rank)
    demand(stream < schedule.streams.size(), "a rank's stream is missing");
  demand(schedule.phases.size() < no_phase, "it has too many phases");
  std::set<std::string> names;
  for (const Phase& phase : schedule.phases) {
    demand(!phase.name.empty() && names.insert(phase.name).second,
           "the name of phase '{}' is empty or used twice", phase.name);
    demand(phase.kind == "compute" || phase.kind == "communicate" || phase.kind == "io" ||
               phase.kind == "idle",
           "phase '{}' has no known kind", phase.name);
  }
  for (const Work& work : schedule.works) {
    for (const double value : {work.flops, work.bytes, work.bytes_write_allocate})
      demand(std::isfinite(value) && value >= 0.0, "a work count is negative or not finite");
    demand(std::isfinite(work.seconds), "a duration is not finite");
  }
  demand(!schedule.communicators.empty() && schedule.communicators[0].groups.empty() &&
             !schedule.communicators[0].self,
         "its first communicator does not hold all ranks");
}

}  // namespace

void validate(const Schedule& schedule) {
  check_tables(schedule);
  std::vector<Membership> families;
  families.reserve(schedule.communicators.size());
  for (const CommunicatorFamily& family : schedule.communicators)
    families.emplace_back(family, schedule.ranks);
  std::vector<bool> of_rank(schedule.streams.size());
  for (const std::uint32_t stream : schedule.stream_of_rank) of_rank[stream] = true;
  const bool threads = std::find(of_rank.begin(), of_rank.end(), false) != of_rank.end();
  std::vector<std::set<Use>> uses;
  uses.reserve(schedule.streams.size());
  std::vector<std::pair<std::size_t, std::size_t>> forks;  // stream, of its thread
  for (std::size_t i = 0; i < schedule.streams.size(); ++i) {
    StreamCheck check(schedule, families, i);
    uses.push_back(check.check(!of_rank[i], threads));
    for (const std::size_t thread : check.forked()) {
      demand(!of_rank[thread], "stream {} forks stream {}, which is a rank's", i, thread);
      forks.emplace_back(i, thread);
    }
  }
  for (const auto& [stream, thread] : forks)
    uses[stream].insert(uses[thread].begin(), uses[thread].end());
  for (std::int32_t rank = 0; rank < schedule.ranks; ++rank)
    for (const Use& use : uses[schedule.stream_of_rank[static_cast<std::size_t>(rank)]])
      check_use(use, families[use.communicator], rank, schedule.ranks);
}

}  // namespace hakaru::schedule
