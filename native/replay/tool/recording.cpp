#include "native/replay/tool/recording.hpp"

#include <fmt/format.h>

#include <fstream>

#include "native/base/require.hpp"
#ifdef HAKARU_TRACE_READER
#include "native/trace/write/archive.hpp"
#endif

namespace hakaru::replay {
namespace {

constexpr const char* kind_name(SegmentKind kind) {
  constexpr const char* names[] = {"compute", "overhead", "runtime", "waiting", "file"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace

struct Recording::Kept {
  std::ofstream timeline;
#ifdef HAKARU_TRACE_READER
  std::vector<std::vector<trace::DoneOperation>> done;  // by rank
#endif
};

Recording::Recording(const schedule::Schedule& schedule, std::string timeline, std::string archive)
    : schedule_(schedule),
      timeline_(std::move(timeline)),
      archive_(std::move(archive)),
      kept_(std::make_unique<Kept>()) {
  if (!timeline_.empty()) {
    kept_->timeline.open(timeline_);
    base::require_environment(kept_->timeline.good(), fmt::format("cannot write '{}'", timeline_));
    kept_->timeline << "rank,kind,phase,begin_s,end_s\n";
  }
  if (archive_.empty()) return;
#ifdef HAKARU_TRACE_READER
  trace::require_archive_place(archive_);
  kept_->done.resize(static_cast<std::size_t>(schedule.ranks));
#else
  throw base::UserError(base::ExitCode::environment,
                        base::explain("cannot write '" + archive_ + "'", "this build has no OTF2",
                                      "install OTF2 and build again"));
#endif
}

Recording::~Recording() = default;

Observers Recording::observers() {
  Observers observers;
  if (!timeline_.empty())
    observers.segments = [this](const Segment& one) {
      const auto& phases = schedule_.phases;
      kept_->timeline << fmt::format("{},{},{},{:.9g},{:.9g}\n", one.rank, kind_name(one.kind),
                                     one.phase < phases.size() ? phases[one.phase].name : "other",
                                     one.begin_s, one.end_s);
    };
#ifdef HAKARU_TRACE_READER
  if (!archive_.empty())
    observers.operations = [this](const OperationTimes& one) {
      kept_->done[static_cast<std::size_t>(one.rank)].push_back(
          {one.operation, one.begin_s, one.end_s, one.thread});
    };
#endif
  return observers;
}

void Recording::write(const Result& result) {
  if (!timeline_.empty()) {
    kept_->timeline.close();
    base::require_environment(kept_->timeline.good(), fmt::format("cannot write '{}'", timeline_));
  }
#ifdef HAKARU_TRACE_READER
  if (archive_.empty()) return;
  std::vector<double> end_s;
  for (const RankResult& rank : result.ranks) end_s.push_back(rank.finish_s);
  trace::write_archive(schedule_, kept_->done, end_s, archive_);
#else
  (void)result;
#endif
}

}  // namespace hakaru::replay
