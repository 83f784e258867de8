#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "native/trace/summary/summary.hpp"

namespace hakaru::trace {
namespace {

using nlohmann::json;

json kinds_object(const TimeByKind& kinds) {
  json object = json::object();
  for (std::size_t i = 0; i < kinds.size(); ++i) object[time_kinds[i]] = kinds[i];
  return object;
}

json waiting_object(const WaitingByCall& waiting, const char* late) {
  json calls = json::array();
  for (const auto& [names, total] : waiting.by_calls) {
    calls.push_back({{late, names.first},
                     {"waiting", names.second},
                     {"count", total.count},
                     {"seconds", total.seconds}});
  }
  return {{"seconds", waiting.total_s()}, {"by_rank", waiting.by_rank}, {"by_calls", calls}};
}

json ranks_array(const Trace& trace, const Summary& summary) {
  json ranks = json::array();
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
    const RankTrace& rank = trace.ranks[i];
    ranks.push_back({{"rank", i},
                     {"host", rank.host},
                     {"begin_s", rank.begin_s},
                     {"end_s", rank.end_s},
                     {"events", rank.events},
                     {"complete", rank.complete},
                     {"ended", rank.ended},
                     {"open_call", rank.open_call},
                     {"time_by_kind", kinds_object(summary.ranks[i])}});
  }
  return ranks;
}

json calls_array(const Summary& summary) {
  json calls = json::array();
  for (const auto& [name, total] : summary.calls) {
    calls.push_back({{"name", name},
                     {"calls", total.calls},
                     {"bytes", total.bytes},
                     {"seconds", total.seconds}});
  }
  return calls;
}

json phases_array(const Trace& trace, const Summary& summary) {
  json phases = json::array();
  for (const auto& [name, total] : summary.phases) {
    const auto found =
        std::find_if(trace.schedule.phases.begin(), trace.schedule.phases.end(),
                     [&](const schedule::Phase& phase) { return phase.name == name; });
    phases.push_back({{"name", name},
                      {"kind", found == trace.schedule.phases.end() ? "" : found->kind},
                      {"mean_s", total.sum_s / static_cast<double>(trace.ranks.size())},
                      {"max_s", total.max_s},
                      {"time_by_kind", kinds_object(total.kinds)}});
  }
  return phases;
}

json path_object(const CriticalPath& path) {
  return {{"kinds", kinds_object(path.kinds)},
          {"calls", path.calls},
          {"phases", path.phases},
          {"messages", path.messages}};
}

std::map<std::string, std::uint64_t> uncovered_calls(const Trace& trace) {
  std::map<std::string, std::uint64_t> sum;
  for (const RankTrace& rank : trace.ranks) {
    for (const UncoveredCall& call : rank.uncovered) sum[call.name] += call.calls;
  }
  return sum;
}

}  // namespace

std::string as_json(const Trace& trace, const Summary& summary) {
  json matrix = json::array();
  for (const auto& [pair, traffic] : summary.matrix) {
    matrix.push_back({pair.first, pair.second, traffic.messages, traffic.bytes});
  }
  json collectives = json::array();
  for (const auto& [name, waiting] : summary.collectives) {
    collectives.push_back({{"name", name}, {"count", waiting.count}, {"seconds", waiting.seconds}});
  }
  const Efficiencies& e = summary.efficiencies;
  const json object{
      {"schema", "hakaru/trace_summary/1"},
      {"program", trace.schedule.program},
      {"creator", trace.creator},
      {"events", trace.events()},
      {"complete", trace.complete},
      {"ranks", ranks_array(trace, summary)},
      {"calls", calls_array(summary)},
      {"phases", phases_array(trace, summary)},
      {"matrix",
       {{"ranks_per_block", summary.block},
        {"columns", {"from", "to", "messages", "bytes"}},
        {"rows", matrix}}},
      {"late_senders", waiting_object(summary.late_senders, "late")},
      {"late_receivers", waiting_object(summary.late_receivers, "late")},
      {"collective_waits",
       {{"by_rank", summary.collective_wait_of_rank}, {"by_call", collectives}}},
      {"unmatched", {{"sends", summary.unmatched_sends}, {"receives", summary.unmatched_receives}}},
      {"efficiencies",
       {{"runtime_s", e.runtime_s},
        {"load_balance", e.load_balance},
        {"communication", e.communication},
        {"parallel", e.parallel}}},
      {"critical_path", path_object(summary.critical_path)},
      {"marks", {{"from", summary.marks.from}, {"to", summary.marks.to}}},
      {"uncovered", uncovered_calls(trace)},
      {"warnings", trace.warnings}};
  return object.dump();
}

std::string as_text(const Trace& trace, const Summary& summary) {
  TimeByKind sum{};
  double all = 0;
  for (const TimeByKind& rank : summary.ranks) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(TimeKind::environment); ++i)
      sum[i] += rank[i], all += rank[i];
  }
  const Efficiencies& e = summary.efficiencies;
  std::string text = fmt::format("{} ranks, {} events, {:.6g} s{}\n", trace.ranks.size(),
                                 trace.events(), e.runtime_s, trace.complete ? "" : ", incomplete");
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (sum[i] > 0) text += fmt::format("  {:<16}{:6.1f} %\n", time_kinds[i], 100 * sum[i] / all);
  }
  text += fmt::format(
      "load balance {:.3f}, communication efficiency {:.3f}, parallel efficiency {:.3f}\n",
      e.load_balance, e.communication, e.parallel);
  double collective = 0;
  for (const double seconds : summary.collective_wait_of_rank) collective += seconds;
  text += fmt::format(
      "waiting, sum over ranks: {:.6g} s for late senders, {:.6g} s for late receivers, {:.6g} s "
      "at collectives\n",
      summary.late_senders.total_s(), summary.late_receivers.total_s(), collective);
  std::vector<std::pair<std::string, CallTotal>> calls(summary.calls.begin(), summary.calls.end());
  std::sort(calls.begin(), calls.end(),
            [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  for (std::size_t i = 0; i < std::min<std::size_t>(calls.size(), 10); ++i) {
    const CallTotal& c = calls[i].second;
    text += fmt::format("  {:<24}{:>12} calls {:>16} B {:>12.6g} s\n", calls[i].first, c.calls,
                        c.bytes, c.seconds);
  }
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    if (!trace.ranks[rank].complete)
      text += fmt::format("rank {} ended early: {} {}\n", rank, trace.ranks[rank].ended,
                          trace.ranks[rank].open_call);
  }
  for (const auto& [name, count] : uncovered_calls(trace))
    text += fmt::format("not recorded: {} x {}\n", count, name);
  for (const std::string& warning : trace.warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace hakaru::trace
