// What ranks can be in: computing and the calls of the trace, by name and kind; the phases.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "native/trace/timeline/pieces.hpp"
#include "native/trace/timeline/timeline.hpp"

namespace hakaru::trace {

// Numbered by the time spent in them, computing first; at most 254, the shortest of more share the
// last one of their kind. A call whose operations are of several kinds is several states.
class States {
 public:
  States(const Trace& trace, const Window& window, std::size_t longest);

  std::size_t count() const { return states_.size(); }
  std::size_t phase_count() const { return phase_names_.size(); }
  std::size_t pieces() const { return pieces_; }  // in the window
  bool inside(const Piece& piece) const;
  std::size_t of(const Piece& piece) const { return number_.at(key(piece)); }
  std::size_t phase_of(const Piece& piece) const;  // 0: outside of all
  TimeKind kind(std::size_t state) const { return states_[state].kind; }
  nlohmann::json document() const;
  nlohmann::json phases() const;

 private:
  struct Occurrence {
    double seconds, begin_s;
    std::size_t rank;
  };
  struct State {
    std::uint32_t call = computing;
    TimeKind kind = TimeKind::compute;
    std::uint64_t count = 0;
    double seconds = 0;
    std::vector<Occurrence> longest;  // a heap, the shortest first
    bool others = false;              // stands for several
  };
  using Key = std::pair<std::uint32_t, TimeKind>;

  static Key key(const Piece& piece) { return {piece.call, piece.kind}; }
  void add(State& state, const Piece& piece, std::size_t rank);
  void put(State& state, const Occurrence& one) const;
  void number(std::map<Key, State>& found);

  const Trace& trace_;
  Window window_;
  std::size_t longest_, pieces_ = 0;
  std::vector<State> states_;
  std::map<Key, std::size_t> number_;
  std::vector<std::string> phase_names_{""};
  std::vector<double> phase_seconds_;
};

}  // namespace hakaru::trace
