// Small schedules and networks for tests.
#pragma once

#include <string>
#include <vector>

#include "native/base/require.hpp"
#include "native/replay/engine/replay.hpp"

namespace hakaru::replay::test {

using schedule::Collective;
using schedule::Kind;
using schedule::Mode;
using schedule::Operation;
using schedule::Schedule;
using schedule::Stream;

inline Operation op(Kind kind, std::int32_t peer = -1, std::uint64_t bytes = 0,
                    std::int32_t tag = 0, std::int32_t request = schedule::no_request) {
  Operation operation;
  operation.kind = kind;
  operation.peer = peer;
  operation.bytes = bytes;
  operation.tag = tag;
  operation.request = request;
  return operation;
}
inline Operation compute(double seconds) {
  Operation operation;
  operation.seconds = seconds;
  return operation;
}
inline Operation send(std::int32_t to, std::uint64_t bytes, std::int32_t tag = 0) {
  return op(Kind::send, to, bytes, tag);
}
inline Operation receive(std::int32_t from, std::uint64_t bytes, std::int32_t tag = 0) {
  return op(Kind::receive, from, bytes, tag);
}
inline Operation isend(std::int32_t to, std::uint64_t bytes, std::int32_t request,
                       std::int32_t tag = 0) {
  return op(Kind::isend, to, bytes, tag, request);
}
inline Operation ireceive(std::int32_t from, std::uint64_t bytes, std::int32_t request,
                          std::int32_t tag = 0) {
  return op(Kind::ireceive, from, bytes, tag, request);
}
inline Operation wait(std::int32_t request) { return op(Kind::wait, -1, 0, 0, request); }
inline Operation collective(Collective what, std::uint64_t bytes = 0, std::int32_t root = -1) {
  Operation operation = op(Kind::collective, root, bytes);
  operation.collective = what;
  return operation;
}
inline Operation with(Operation operation, Mode mode) {
  operation.mode = mode;
  return operation;
}
inline Operation on(Operation operation, std::uint32_t communicator) {
  operation.communicator = communicator;
  return operation;
}

// Its peer is so many ranks further.
inline Operation relative(Operation operation) {
  operation.relative_peer = true;
  return operation;
}
inline Stream looped(Stream body, std::uint64_t rounds = 20) {
  Operation begin = op(Kind::loop_begin, -1, rounds), end = op(Kind::loop_end);
  begin.payload = static_cast<std::int32_t>(body.size()) + 1;
  end.payload = 0;
  body.insert(body.begin(), begin);
  body.push_back(end);
  return body;
}

inline Schedule of(std::vector<Stream> streams) {
  Schedule schedule;
  schedule.program = "test";
  schedule.ranks = static_cast<std::int32_t>(streams.size());
  for (std::uint32_t i = 0; i < streams.size(); ++i) schedule.stream_of_rank.push_back(i);
  schedule.streams = std::move(streams);
  return schedule;
}
// All ranks do the same.
inline Schedule all(std::int32_t ranks, const Stream& stream) {
  Schedule schedule = of({stream});
  schedule.ranks = ranks;
  schedule.stream_of_rank.assign(static_cast<std::size_t>(ranks), 0);
  return schedule;
}

// Parameters that no sum hides: L = 10, o_s = 1, o_r = 2, g = 0.5, G = 0.125 s/B, eager up to 100
// B.
inline constexpr double L = 10, o_s = 1, o_r = 2, g = 0.5, G = 0.125;
inline double t(double bytes) { return bytes > 1 ? G * (bytes - 1) : 0; }  // G (s - 1)
inline nlohmann::json flat_document() {
  return {{"model", "loggp"},
          {"levels",
           {{"switch",
             {{"latency_s", L},
              {"send_overhead", o_s},
              {"receive_overhead", o_r},
              {"gap", g},
              {"gap_per_byte", G},
              {"eager_limit_bytes", 100}}}}}};
}

// Messages that cross come later, and keep a share of their speed while their receiver computes.
inline constexpr double crossing = 3;
inline nlohmann::json disturbed(double progress = 1) {
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["crossing"] = crossing;
  document["levels"]["switch"]["progress"] = {
      {{"minimum_bytes", 0}, {"maximum_bytes", nullptr}, {"value", progress}}};
  return document;
}

// The same with messages to oneself: 0.5 s/B and overheads of 0.25 and 0.75.
inline nlohmann::json copying() {
  nlohmann::json document = flat_document();
  document["levels"]["self"] = {
      {"send_overhead", 0.25}, {"receive_overhead", 0.75}, {"gap_per_byte", 0.5}};
  return document;
}

inline Result run(const Schedule& schedule, const nlohmann::json& document = flat_document(),
                  const nlohmann::json& given = nlohmann::json::object()) {
  const auto network = make_network(document, schedule.ranks, schedule.in_large_pages);
  Costs costs = read_costs(document);
  const Options options = read_options(given, costs);
  return replay(schedule, *network, costs, options);
}
inline double finish(const Result& result, std::size_t rank) { return result.ranks[rank].finish_s; }

template <class Do>
std::string error_of(const Do& action) {
  try {
    action();
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace hakaru::replay::test
