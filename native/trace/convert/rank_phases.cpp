// Phases and marks of a rank, and how it ended.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "native/trace/convert/rank_events.hpp"

namespace hakaru::trace {

// MPI_Pcontrol's marks are no calls. Where threads take turns, they are the rank's, whoever makes
// them.
bool RankEvents::mark(const RawRecord& record) {
  bool marks = false;
  Thread* const caller = thread_;
  const auto serialised = file_.header().thread_level < 3;
  for (const Item& item : items_) {
    const std::uint32_t kind = HAKARU_ITEM_KIND(item.what->what);
    if (kind < HAKARU_ITEM_PHASE_BEGIN || kind > HAKARU_ITEM_RECORDING_ON) continue;
    marks = true;
    if (serialised) thread_ = &threads_[0];
    const std::uint64_t time = tick(record.as<hakaru_raw_record>().enter);
    const auto name = numbers_.strings.find(item.what->request);
    if (kind == HAKARU_ITEM_PHASE_BEGIN)
      begin_phase(name == numbers_.strings.end() ? "" : name->second);
    if (kind == HAKARU_ITEM_PHASE_END)
      end_phase(name == numbers_.strings.end() ? "" : name->second);
    if (kind == HAKARU_ITEM_RECORDING_OFF)
      OTF2_EvtWriter_MeasurementOnOff(thread_->writer, nullptr, time, OTF2_MEASUREMENT_OFF);
    if (kind == HAKARU_ITEM_RECORDING_ON)
      OTF2_EvtWriter_MeasurementOnOff(thread_->writer, nullptr, time, OTF2_MEASUREMENT_ON);
  }
  thread_ = caller;
  return marks;
}

void RankEvents::begin_phase(const std::string& name) {
  thread_->phases.push_back(archive_.phase(name));
  OTF2_EvtWriter_Enter(thread_->writer, before_call(), thread_->last, thread_->phases.back());
}

// An end without its begin is left out; one that skips inner phases ends them too.
void RankEvents::end_phase(const std::string& name) {
  const OTF2_RegionRef region = archive_.phase(name);
  std::vector<OTF2_RegionRef>& open = thread_->phases;
  if (std::find(open.begin(), open.end(), region) == open.end())
    return void(++uncovered_["ends of phases that did not begin"]);
  OTF2_AttributeList* told = before_call();
  for (bool more = true; more; told = nullptr) {
    more = open.back() != region;
    OTF2_EvtWriter_Leave(thread_->writer, told, thread_->last, open.back());
    open.pop_back();
  }
}

void RankEvents::finish() {
  const hakaru_raw_header& h = file_.header();
  LocationEntry entry;
  entry.rank = numbers_.rank;
  switch (h.status) {
    case HAKARU_RAW_FINALIZED:
      entry.ended = "finalized";
      break;
    case HAKARU_RAW_ABORTED:
      entry.ended = fmt::format("by MPI_Abort with code {}", h.status_code);
      break;
    case HAKARU_RAW_EXITED:
      entry.ended = "without MPI_Finalize";
      break;
    default:
      entry.ended = "killed";
  }
  if (h.lost_records > 0)
    entry.ended = fmt::format("{} records were lost ({})", h.lost_records,
                              std::strerror(static_cast<int>(h.lost_reason)));
  thread_ = &threads_[0];
  if (h.status != HAKARU_RAW_FINALIZED && h.open_call > 0 &&
      h.open_call <= numbers_.regions.size()) {
    const OTF2_RegionRef region = numbers_.regions[h.open_call - 1];
    entry.open_call = world_.region_names[region];
    OTF2_EvtWriter_Enter(thread_->writer, nullptr, tick(h.open_ticks), region);
    OTF2_EvtWriter_Leave(thread_->writer, nullptr, tick(std::max(h.last.ticks, h.open_ticks)),
                         region);
  }
  const std::span<const hakaru_raw_call> calls = file_.calls();
  const std::span<const hakaru_raw_counter> counters = file_.counters();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].coverage == HAKARU_RAW_UNCOVERED && counters[i].calls > 0)
      uncovered_[text_of(calls[i].name)] += counters[i].calls;
  }
  entry.uncovered.assign(uncovered_.begin(), uncovered_.end());
  add_costs(entry);
  entry.freed_requests = freed_requests_;
  entry.memory_bytes = file_.header().memory_bytes;
  entry.long_bytes = file_.header().long_bytes;
  entry.large_page_bytes = file_.header().large_page_bytes;
  for (auto& [number, thread] : threads_) {
    while (!thread.phases.empty()) {
      if (number == 0 && entry.ended == "finalized") entry.ended = "inside a phase";
      OTF2_EvtWriter_Leave(thread.writer, nullptr, thread.last, thread.phases.back());
      thread.phases.pop_back();
    }
    entry.thread = number;
    archive_.close(thread.writer, entry);
    entry.uncovered.clear();
    entry.costs.clear();
  }
}

// 0: not known.
double RankEvents::nanoseconds_per_tick() const {
  const hakaru_raw_header& h = file_.header();
  if (h.last.ticks <= h.start.ticks || h.last.monotonic_ns <= h.start.monotonic_ns) return 0.0;
  return static_cast<double>(h.last.monotonic_ns - h.start.monotonic_ns) /
         static_cast<double>(h.last.ticks - h.start.ticks);
}

void RankEvents::add_costs(LocationEntry& entry) const {
  const hakaru_raw_header& h = file_.header();
  const double ns_per_tick = nanoseconds_per_tick();
  if (ns_per_tick == 0.0) return;
  const auto ns = [&](double ticks) {
    return static_cast<std::uint64_t>(std::llround(ticks * ns_per_tick));
  };
  entry.inside_ns = ns(static_cast<double>(h.inside_ticks));
  const std::span<const hakaru_raw_counter> counters = file_.counters();
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const hakaru_raw_counter& c = counters[i];
    if (c.cost_samples == 0) continue;
    const double ticks =
        h.wrapper_ticks + static_cast<double>(c.cost_ticks) / static_cast<double>(c.cost_samples);
    entry.costs.emplace_back(world_.region_names[numbers_.regions[i]], ns(ticks));
  }
}

}  // namespace hakaru::trace
