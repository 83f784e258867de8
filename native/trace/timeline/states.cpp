#include "native/trace/timeline/states.hpp"

#include <algorithm>

namespace hakaru::trace {

using nlohmann::json;

namespace {
constexpr std::size_t most_states = 246;  // and one of each kind for others
constexpr std::size_t most_phases = 254;  // with 0; later ones are told as outside
}  // namespace

States::States(const Trace& trace, const Window& window, std::size_t longest)
    : trace_(trace), window_(window), longest_(longest) {
  for (const schedule::Phase& phase : trace.schedule.phases)
    if (phase_names_.size() < most_phases) phase_names_.push_back(phase.name);
  phase_seconds_.resize(phase_names_.size());
  std::map<Key, State> found;
  found[{computing, TimeKind::compute}];
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
    each_piece(trace, rank, [&](const Piece& piece) {
      State& state = found[key(piece)];
      state.call = piece.call;
      state.kind = piece.kind;
      if (inside(piece)) add(state, piece, rank), ++pieces_;
    });
  number(found);
}

bool States::inside(const Piece& piece) const {
  return piece.begin_s <= window_.to_s && piece.end_s >= window_.from_s;
}

void States::put(State& state, const Occurrence& one) const {
  const auto longer = [](const Occurrence& a, const Occurrence& b) {
    return a.seconds > b.seconds;
  };
  if (longest_ == 0) return;
  if (state.longest.size() == longest_) {
    if (one.seconds <= state.longest.front().seconds) return;
    std::pop_heap(state.longest.begin(), state.longest.end(), longer);
    state.longest.pop_back();
  }
  state.longest.push_back(one);
  std::push_heap(state.longest.begin(), state.longest.end(), longer);
}

void States::add(State& state, const Piece& piece, std::size_t rank) {
  const double seconds =
      std::min(piece.end_s, window_.to_s) - std::max(piece.begin_s, window_.from_s);
  ++state.count;
  state.seconds += seconds;
  phase_seconds_[phase_of(piece)] += seconds;
  put(state, {piece.end_s - piece.begin_s, piece.begin_s, rank});
}

void States::number(std::map<Key, State>& found) {
  std::vector<Key> order;
  for (const auto& [key, state] : found) order.push_back(key);
  std::stable_sort(order.begin(), order.end(), [&](const Key& a, const Key& b) {
    const bool computes_a = a.first == computing, computes_b = b.first == computing;
    if (computes_a != computes_b) return computes_a;
    return found[a].seconds > found[b].seconds;
  });
  std::map<TimeKind, std::size_t> others;
  for (const Key& key : order) {
    State& state = found[key];
    if (states_.size() < most_states) {
      number_[key] = states_.size();
      states_.push_back(std::move(state));
      continue;
    }
    const auto [place, fresh] = others.try_emplace(state.kind, states_.size());
    if (fresh) states_.push_back({computing, state.kind, 0, 0, {}, true});
    State& sum = states_[place->second];
    number_[key] = place->second;
    sum.count += state.count;
    sum.seconds += state.seconds;
    for (const Occurrence& one : state.longest) put(sum, one);
  }
}

std::size_t States::phase_of(const Piece& piece) const {
  const std::size_t phase = piece.phase == schedule::no_phase ? 0 : piece.phase + 1u;
  return phase < phase_names_.size() ? phase : 0;
}

json States::document() const {
  json list = json::array();
  for (const State& state : states_) {
    std::vector<Occurrence> sorted = state.longest;
    std::sort(sorted.begin(), sorted.end(), [](const Occurrence& a, const Occurrence& b) {
      return std::tuple(-a.seconds, a.begin_s, a.rank) < std::tuple(-b.seconds, b.begin_s, b.rank);
    });
    json longest = json::array();
    for (const Occurrence& one : sorted) longest.push_back({one.rank, one.begin_s, one.seconds});
    const std::string name = state.others              ? "other calls"
                             : state.call == computing ? "computing"
                                                       : trace_.calls[state.call];
    list.push_back({{"name", name},
                    {"kind", time_kinds[static_cast<std::size_t>(state.kind)]},
                    {"count", state.count},
                    {"seconds", state.seconds},
                    {"longest", longest}});
  }
  return list;
}

json States::phases() const {
  json list = json::array();
  for (std::size_t i = 0; i < phase_names_.size(); ++i)
    list.push_back({{"name", phase_names_[i]}, {"seconds", phase_seconds_[i]}});
  return list;
}

}  // namespace hakaru::trace
