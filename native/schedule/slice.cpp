#include "native/schedule/slice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "native/base/require.hpp"

namespace hakaru::schedule {
namespace {

std::uint16_t phase_named(const Schedule& schedule, const std::string& name) {
  const auto found = std::find_if(schedule.phases.begin(), schedule.phases.end(),
                                  [&](const Phase& phase) { return phase.name == name; });
  std::string known;
  for (const Phase& phase : schedule.phases) known += (known.empty() ? "" : ", ") + phase.name;
  base::require(found != schedule.phases.end(), fmt::format("there is no phase '{}'", name),
                known.empty() ? "nothing marks phases" : "there are " + known, "name one of them");
  return static_cast<std::uint16_t>(found - schedule.phases.begin());
}

class Slicer {
 public:
  Slicer(const Stream& from, std::uint16_t phase) : from_(from), phase_(phase) {}

  Stream slice() {
    copy(0, from_.size());
    return std::move(kept_);
  }

 private:
  // Loops are kept where something in them is; a loop lies inside of the phase or around whole
  // occurrences of it.
  void copy(std::size_t first, std::size_t last) {
    for (std::size_t at = first; at < last; ++at) {
      const Operation& operation = from_[at];
      if (operation.kind == Kind::loop_begin) {
        const auto end = static_cast<std::size_t>(operation.payload);
        const std::size_t begin = kept_.size();
        kept_.push_back(operation);
        copy(at + 1, end);
        at = end;
        if (kept_.size() == begin + 1) {
          kept_.pop_back();
          continue;
        }
        kept_[begin].payload = static_cast<std::int32_t>(kept_.size());
        Operation closing = from_[end];
        closing.payload = static_cast<std::int32_t>(begin);
        kept_.push_back(closing);
      } else {
        const bool mark = operation.phase == phase_;
        if (operation.kind == Kind::phase_begin && mark) ++inside_;
        if (inside_ > 0) kept_.push_back(operation);
        if (operation.kind == Kind::phase_end && mark) --inside_;
      }
    }
  }

  const Stream& from_;
  std::uint16_t phase_;
  Stream kept_;
  int inside_ = 0;
};

std::uint64_t entries(const Stream& stream, std::uint16_t phase) {
  std::uint64_t count = 0;
  Cursor cursor;
  while (const Operation* operation = cursor.next(stream))
    count += operation->kind == Kind::phase_begin && operation->phase == phase;
  return count;
}

}  // namespace

std::uint64_t occurrences(const Schedule& schedule, const std::string& name) {
  return entries(schedule.stream(0), phase_named(schedule, name));
}

Schedule only_phase(const Schedule& schedule, const std::string& name) {
  const std::uint16_t phase = phase_named(schedule, name);
  Schedule part = schedule;
  part.index.reset();
  const std::uint64_t wanted = entries(schedule.stream(0), phase);
  base::require(wanted > 0, fmt::format("rank 0 never enters the phase '{}'", name));
  const std::size_t of_ranks =
      1 + *std::max_element(part.stream_of_rank.begin(), part.stream_of_rank.end());
  for (std::size_t i = 0; i < of_ranks; ++i) {
    const std::uint64_t found = entries(schedule.streams[i], phase);
    base::require(found == wanted,
                  fmt::format("ranks enter the phase '{}' {} and {} times", name, wanted, found),
                  "a part needs the same occurrences on every rank", "replay the whole");
    part.streams[i] = Slicer(schedule.streams[i], phase).slice();
  }
  validate(part);
  return part;
}

}  // namespace hakaru::schedule
