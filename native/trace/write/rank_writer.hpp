// One rank's operations as events.
#pragma once

#include <otf2/otf2.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "native/trace/write/archive.hpp"
#include "native/trace/write/definitions.hpp"

namespace hakaru::trace {

class RankWriter {
 public:
  RankWriter(const schedule::Schedule& schedule, WrittenDefinitions& definitions, std::int32_t rank,
             double ticks_per_second);
  ~RankWriter();
  RankWriter(const RankWriter&) = delete;
  RankWriter& operator=(const RankWriter&) = delete;

  // Own operations and those of threads in the order in which they began. `writer` belongs to the
  // operation's thread.
  void begin(OTF2_EvtWriter* own, OTF2_StringRef program);
  void write(const DoneOperation& done, OTF2_EvtWriter* writer);
  void finish(OTF2_EvtWriter* own, double end_s);
  std::uint64_t last_tick() const { return last_; }

 private:
  using Operation = schedule::Operation;
  struct Open {
    const Operation* operation = nullptr;
    std::uint64_t number = 0;
  };

  std::uint64_t tick(double seconds);
  void enter_phase(std::uint16_t phase, std::uint64_t time, OTF2_EvtWriter* writer);
  void mark(const Operation& o, std::uint64_t time, OTF2_EvtWriter* writer);
  void at_enter(const Operation& o);
  void at_leave(const Operation& o);
  OTF2_AttributeList* in_pieces(const Operation& message);
  void start(const Operation& o);
  void complete(const Operation& o);
  void access(const Operation& o);
  void finish_accesses(const Operation& o);
  void synchronise(const Operation& o);
  void collective_end(const Operation& o, const std::uint64_t* request);
  void add(Attribute extra, const std::vector<std::int64_t>& values);
  void add_lists(const Operation& o);
  void add_neighbours(const Operation& o);
  void file_done(const Operation& o);
  std::uint32_t peer(const Operation& o) const;
  OTF2_CommRef communicator(const Operation& o) const;
  OTF2_RmaWinRef window(const Operation& o);

  const schedule::Schedule& schedule_;
  WrittenDefinitions& definitions_;
  const std::int32_t rank_;
  const double ticks_per_second_;
  OTF2_AttributeList* attributes_;
  OTF2_EvtWriter* writer_ = nullptr;  // of the operation that is being written
  std::uint64_t enter_ = 0, leave_ = 0, last_ = 0;
  std::uint16_t phase_ = schedule::no_phase;  // the innermost open region
  std::vector<std::uint16_t> marked_;         // those that marks have opened
  std::map<std::int32_t, Open> open_;         // by the schedule's request
  std::uint64_t requests_ = 0, file_operations_ = 0;
  std::map<OTF2_RmaWinRef, std::set<std::uint32_t>> accessed_;
  std::map<std::pair<OTF2_RmaWinRef, bool>, OTF2_GroupRef> epochs_;  // (window, exposure)
};

}  // namespace hakaru::trace
