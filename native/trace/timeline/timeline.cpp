#include "native/trace/timeline/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "native/base/require.hpp"
#include "native/trace/timeline/levels.hpp"
#include "native/trace/timeline/notes.hpp"
#include "native/trace/timeline/states.hpp"

namespace hakaru::trace {
namespace {

using nlohmann::json;

// From the first return of MPI_Init to the end of what comes before MPI_Finalize; the whole trace
// where there is nothing else.
Window run_of(const Trace& trace) {
  Window run{1e300, -1e300};
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
    each_piece(trace, rank, [&](const Piece& piece) {
      if (piece.kind == TimeKind::environment || piece.end_s <= piece.begin_s) return;
      run.from_s = std::min({run.from_s, piece.begin_s, trace.ranks[rank].initialised_s});
      run.to_s = std::max(run.to_s, piece.end_s);
    });
  return run.from_s < run.to_s ? run : Window{};
}

Axis axis_of(const Trace& trace, const Window& window, std::size_t most_rows) {
  Axis axis;
  axis.ranks = trace.ranks.size();
  double first = 1e300, last = -1e300;
  for (const RankTrace& rank : trace.ranks) {
    if (rank.events == 0) continue;
    first = std::min(first, rank.begin_s);
    last = std::max(last, rank.end_s);
  }
  if (last >= first) {
    const Window whole, run = run_of(trace);
    const double from = window.from_s == whole.from_s ? run.from_s : window.from_s;
    const double to = window.to_s == whole.to_s ? run.to_s : window.to_s;
    axis.from_s = std::max(first, from);
    axis.to_s = std::min(last, to);
    base::require(axis.from_s <= axis.to_s && from < to, "nothing of the trace lies in that time",
                  fmt::format("it lasts from {:.6g} to {:.6g} s", first, last),
                  "give --from and --to within it");
  }
  axis.ranks_per_row = std::max<std::size_t>(1, (axis.ranks + most_rows - 1) / most_rows);
  axis.rows = (axis.ranks + axis.ranks_per_row - 1) / axis.ranks_per_row;
  return axis;
}

// Single pieces of all rows, where they are few.
struct Singles {
  std::vector<std::uint32_t> counts;  // of each row
  std::vector<double> begin_s;
  std::vector<float> seconds;
  std::vector<std::uint8_t> states, phases;

  json document() const {
    return {{"counts", counts},
            {"begin_s", base64(begin_s)},
            {"seconds", base64(seconds)},
            {"states", base64(states)},
            {"phases", base64(phases)}};
  }
};

class Builder {
 public:
  Builder(const Trace& trace, const Window& window, const Limits& limits)
      : trace_(trace),
        limits_(limits),
        axis_(axis_of(trace, window, limits.rows)),
        notes_(trace.ranks.size(), {axis_.from_s, axis_.to_s}, limits.waits),
        summary_(summarise(trace, {}, 64, &notes_)),
        states_(trace, {axis_.from_s, axis_.to_s}, limits.longest) {}

  json document() {
    json rows = json::array();
    fill(rows);
    json levels = json::array();
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
      levels.push_back(level->document());
    json warnings = trace_.warnings;
    if (notes_.backwards() > 0)
      warnings.push_back(fmt::format(
          "{} messages were received before they were sent: the clocks of their ranks differ",
          notes_.backwards()));
    return {{"schema", "hakaru/timeline/1"},
            {"program", trace_.schedule.program},
            {"creator", trace_.creator},
            {"events", trace_.events()},
            {"complete", trace_.complete},
            {"from_s", axis_.from_s},
            {"to_s", axis_.to_s},
            {"ranks", axis_.ranks},
            {"ranks_per_row", axis_.ranks_per_row},
            {"rows", rows},
            {"states", states_.document()},
            {"phases", states_.phases()},
            {"levels", levels},
            {"pieces", single_ ? singles_.document() : json()},
            {"messages", messages()},
            {"longest_waits", notes_.longest_waits(trace_)},
            {"histograms", notes_.histograms()},
            {"critical_path", path()},
            {"warnings", warnings}};
  }

 private:
  void fill(json& rows) {
    if (axis_.length_s() <= 0) return;
    single_ = states_.pieces() <= limits_.pieces;
    std::size_t bins = finest(axis_.rows, states_.pieces(), limits_.cells, limits_.bins);
    for (std::size_t some = bins; some >= 256; some /= 4)
      levels_.push_back({some, {}, {}, {}, {}, {}});
    Bins states(axis_, bins, states_.count()), phases(axis_, bins, states_.phase_count());
    Bins shares(axis_, bins, 3);  // computing, in calls, waiting
    for (std::size_t row = 0; row < axis_.rows; ++row) {
      for (Bins* one : {&states, &phases, &shares}) one->clear();
      rows.push_back(fill_row(row, states, phases, shares));
      add_levels(row, states, phases, shares);
    }
  }

  std::pair<std::size_t, std::size_t> ranks_of(std::size_t row) const {
    const std::size_t first = row * axis_.ranks_per_row;
    return {first, std::min(axis_.ranks, first + axis_.ranks_per_row)};
  }

  json fill_row(std::size_t row, Bins& states, Bins& phases, Bins& shares) {
    const auto [first, last] = ranks_of(row);
    std::vector<std::size_t> columns;  // of kinds
    json hosts = json::array();
    std::uint32_t single = 0;
    for (std::size_t rank = first; rank < last; ++rank) {
      each_piece(trace_, rank, [&](const Piece& piece) {
        states.add(states_.of(piece), piece.begin_s, piece.end_s);
        phases.add(states_.phase_of(piece), piece.begin_s, piece.end_s);
        shares.add(piece.kind == TimeKind::compute ? 0 : 1, piece.begin_s, piece.end_s);
        if (single_ && states_.inside(piece)) note(piece), ++single;
      });
      for (const auto& [begin, end] : notes_.waits(rank)) shares.add(2, begin, end);
    }
    singles_.counts.push_back(single);
    json kinds = json::object();
    TimeByKind sums{};
    for (std::size_t state = 0; state < states_.count(); ++state)
      sums[static_cast<std::size_t>(states_.kind(state))] += states.sum(state);
    for (std::size_t i = 0; i < sums.size(); ++i) kinds[time_kinds[i]] = sums[i];
    return {{"first_rank", first},
            {"ranks", last - first},
            {"host", trace_.ranks[first].host},
            {"time_by_kind", kinds},
            {"waiting_s", shares.sum(2)}};
  }

  void note(const Piece& piece) {
    const double begin = std::max(piece.begin_s, axis_.from_s);
    singles_.begin_s.push_back(begin);
    singles_.seconds.push_back(static_cast<float>(std::min(piece.end_s, axis_.to_s) - begin));
    singles_.states.push_back(static_cast<std::uint8_t>(states_.of(piece)));
    singles_.phases.push_back(static_cast<std::uint8_t>(states_.phase_of(piece)));
  }

  void add_levels(std::size_t row, const Bins& states, const Bins& phases, const Bins& shares) {
    const auto [first, last] = ranks_of(row);
    Bins s = states, p = phases, h = shares;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      if (i > 0) s = s.coarser(), p = p.coarser(), h = h.coarser();
      const double full = axis_.length_s() / static_cast<double>(levels_[i].bins);
      levels_[i].add_row(s, p, h, full * static_cast<double>(last - first));
    }
  }

  json messages() {
    const std::vector<Message>& all = notes_.messages();
    std::uint64_t bytes = 0;
    for (const Message& message : all) bytes += message.bytes;
    return {{"count", all.size()},
            {"bytes", bytes},
            {"unmatched_sends", summary_.unmatched_sends},
            {"unmatched_receives", summary_.unmatched_receives},
            {"columns", {"from", "to", "sent_s", "received_s", "bytes", "tag_or_count"}},
            {"tiles", message_tiles(all, axis_, limits_.messages)}};
  }

  // The longest stays where there are too many.
  json path() {
    std::vector<PathPiece> pieces;
    double seconds = 0;
    for (PathPiece one : summary_.critical_path.pieces) {
      one.begin_s = std::max(one.begin_s, axis_.from_s);
      one.end_s = std::min(one.end_s, axis_.to_s);
      if (one.end_s <= one.begin_s) continue;
      seconds += one.end_s - one.begin_s;
      pieces.push_back(one);
    }
    const bool whole = pieces.size() <= limits_.stays;
    if (!whole) {
      std::nth_element(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(limits_.stays),
                       pieces.end(), [](const PathPiece& a, const PathPiece& b) {
                         return a.end_s - a.begin_s > b.end_s - b.begin_s;
                       });
      pieces.resize(limits_.stays);
    }
    std::sort(pieces.begin(), pieces.end(),
              [](const PathPiece& a, const PathPiece& b) { return a.begin_s < b.begin_s; });
    json stays = json::array();
    for (const PathPiece& one : pieces) stays.push_back({one.rank, one.begin_s, one.end_s});
    return {{"seconds", seconds}, {"whole", whole}, {"stays", stays}};
  }

  const Trace& trace_;
  Limits limits_;
  Axis axis_;
  Notes notes_;
  Summary summary_;
  States states_;
  bool single_ = false;
  Singles singles_;
  std::vector<Level> levels_;  // the finest first
};

}  // namespace

json timeline(const Trace& trace, const Window& window, const Limits& limits) {
  return Builder(trace, window, limits).document();
}

}  // namespace hakaru::trace
