// Operations as short texts, for tests: "receive 1 tag 3", "compute 250" (ns), "wait r0".
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "native/trace/reader/trace.hpp"

namespace hakaru::trace {

inline std::string text_of(const schedule::Operation& o) {
  using schedule::Kind;
  if (o.kind == Kind::compute) return fmt::format("compute {:.0f}", o.seconds * 1e9);
  if (o.kind == Kind::collective) return schedule::name_of(o.collective);
  std::string text = schedule::name_of(o.kind);
  if (schedule::has_peer(o.kind)) text += fmt::format(" {} tag {}", o.peer, o.tag);
  if (o.request >= 0) text += fmt::format(" r{}", o.request);
  return text;
}

inline std::vector<std::string> texts(const Trace& trace, std::size_t stream) {
  std::vector<std::string> all;
  for (const schedule::Operation& o : trace.schedule.streams[stream]) all.push_back(text_of(o));
  return all;
}

}  // namespace hakaru::trace
