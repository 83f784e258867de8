#include "native/replay/tool/generate.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <map>

#include "native/base/require.hpp"
#include "native/replay/engine/collectives/algorithm.hpp"

namespace hakaru::replay {

namespace {

using schedule::Collective;
using schedule::Kind;
using schedule::Operation;
using schedule::Schedule;
using schedule::Stream;

class Values {
 public:
  explicit Values(const std::string& text) : text_(text) {
    const std::size_t colon = text.find(':');
    name = text.substr(0, colon);
    for (std::size_t at = colon; at < text.size();) {
      const std::size_t end = std::min(text.find(',', at + 1), text.size());
      const std::string item = text.substr(at + 1, end - at - 1);
      const std::size_t equals = item.find('=');
      base::require(equals != std::string::npos,
                    fmt::format("cannot read '{}' in '{}'", item, text), "key=value is needed");
      values_[item.substr(0, equals)] = item.substr(equals + 1);
      at = end;
    }
  }
  std::string name;

  double real(const std::string& key, double fallback) {
    const auto found = values_.find(key);
    if (found == values_.end()) return fallback;
    char* end = nullptr;
    const double value = std::strtod(found->second.c_str(), &end);
    base::require(end != found->second.c_str() && *end == '\0' && value >= 0,
                  fmt::format("'{}' is no number in '{}'", found->second, text_));
    values_.erase(found);
    return value;
  }
  std::int64_t whole(const std::string& key, std::int64_t fallback, std::int64_t least = 1) {
    const double value = real(key, static_cast<double>(fallback));
    base::require(value == static_cast<double>(static_cast<std::int64_t>(value)) &&
                      value >= static_cast<double>(least) && value < 1e15,
                  fmt::format("{} cannot be {} in '{}'", key, value, text_));
    return static_cast<std::int64_t>(value);
  }
  std::int32_t ranks(std::int64_t fallback) {
    const std::int64_t value = whole("ranks", fallback);
    base::require(value <= 1 << 24, fmt::format("{} ranks are too many", value), "2^24 at most");
    return static_cast<std::int32_t>(value);
  }
  void require_empty() const {
    if (!values_.empty())
      base::require(false, fmt::format("'{}' is not known to '{}'", values_.begin()->first, name));
  }

 private:
  std::string text_;
  std::map<std::string, std::string> values_;
};

Operation make(Kind kind, std::int32_t peer = -1, std::uint64_t bytes = 0,
               std::int32_t request = schedule::no_request, bool relative = false) {
  Operation operation;
  operation.kind = kind;
  operation.peer = peer;
  operation.bytes = bytes;
  operation.request = request;
  operation.relative_peer = relative;
  return operation;
}

void begin_loop(Stream& stream, std::int64_t times) {
  stream.push_back(make(Kind::loop_begin, -1, static_cast<std::uint64_t>(times)));
}

void end_loop(Stream& stream, std::size_t begin) {
  stream.push_back(make(Kind::loop_end));
  stream.back().payload = static_cast<std::int32_t>(begin);
  stream[begin].payload = static_cast<std::int32_t>(stream.size() - 1);
}

Schedule empty(std::int32_t ranks, std::size_t streams, const std::string& name) {
  Schedule schedule;
  schedule.ranks = ranks;
  schedule.program = name;
  schedule.streams.resize(streams);
  schedule.stream_of_rank.assign(static_cast<std::size_t>(ranks), 0);
  return schedule;
}

Schedule pingpong(Values& values) {
  const auto bytes = static_cast<std::uint64_t>(values.whole("bytes", 8, 0));
  const std::int64_t times = values.whole("times", 1);
  Schedule schedule = empty(2, 2, "pingpong");
  schedule.stream_of_rank[1] = 1;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    Stream& stream = schedule.streams[rank];
    const auto other = static_cast<std::int32_t>(1 - rank);
    begin_loop(stream, times);
    stream.push_back(make(rank == 0 ? Kind::send : Kind::receive, other, bytes));
    stream.push_back(make(rank == 0 ? Kind::receive : Kind::send, other, bytes));
    end_loop(stream, 0);
  }
  return schedule;
}

Schedule repeated(Values& values, Collective what) {
  const std::int32_t ranks = values.ranks(8);
  const auto bytes =
      what == Collective::barrier ? 0 : static_cast<std::uint64_t>(values.whole("bytes", 8, 0));
  const std::int64_t times = values.whole("times", 1);
  Schedule schedule = empty(ranks, 1, schedule::name_of(what));
  Stream& stream = schedule.streams[0];
  begin_loop(stream, times);
  const bool rooted = what == Collective::broadcast || what == Collective::reduce ||
                      what == Collective::gather || what == Collective::scatter;
  stream.push_back(make(Kind::collective, rooted ? 0 : -1, bytes));
  stream.back().collective = what;
  end_loop(stream, 0);
  return schedule;
}

// Columns of the grid: the largest divisor that is at most the square root.
std::int32_t grid_width(std::int32_t ranks) {
  std::int32_t width = 1;
  for (std::int32_t d = 1; static_cast<std::int64_t>(d) * d <= ranks; ++d)
    if (ranks % d == 0) width = d;
  return width;
}

Schedule halo2d(Values& values) {
  const std::int32_t ranks = values.ranks(16);
  const std::int64_t steps = values.whole("steps", 1);
  const auto bytes = static_cast<std::uint64_t>(values.whole("bytes", 8, 0));
  const double compute_s = values.real("compute_s", 0);
  base::require(ranks >= 2, "a halo needs neighbours", "there is one rank");
  const std::int32_t width = grid_width(ranks);
  Schedule schedule = empty(ranks, 3, "halo2d");  // left edge, inside, right edge
  for (std::int32_t kind = 0; kind < 3; ++kind) {
    Stream& stream = schedule.streams[static_cast<std::size_t>(kind)];
    const std::int32_t left = kind == 0 ? width - 1 : -1;
    const std::int32_t right = kind == 2 || width == 1 ? 1 - width : 1;
    const std::int32_t peers[] = {left, right, -width, width};
    begin_loop(stream, steps);
    for (std::int32_t i = 0; i < 4;
         ++i) {  // tag i: the message goes in direction i, so it comes from the opposite one
      stream.push_back(make(Kind::ireceive, peers[i ^ 1], bytes, i, true));
      stream.back().tag = i;
    }
    for (std::int32_t i = 0; i < 4; ++i) {
      stream.push_back(make(Kind::isend, peers[i], bytes, 4 + i, true));
      stream.back().tag = i;
    }
    for (std::int32_t i = 0; i < 8; ++i) stream.push_back(make(Kind::wait, -1, 0, i));
    if (compute_s > 0) {
      stream.push_back(make(Kind::compute));
      stream.back().seconds = compute_s;
    }
    end_loop(stream, 0);
  }
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const std::int32_t column = rank % width;
    schedule.stream_of_rank[static_cast<std::size_t>(rank)] = column == 0           ? 0U
                                                              : column == width - 1 ? 2U
                                                                                    : 1U;
  }
  return schedule;
}

Schedule gather_reverse(Values& values) {
  const std::int32_t ranks = values.ranks(8);
  const auto bytes = static_cast<std::uint64_t>(values.whole("bytes", 8, 0));
  Schedule schedule = empty(ranks, 2, "gather_reverse");
  for (std::int32_t rank = 1; rank < ranks; ++rank)
    schedule.stream_of_rank[static_cast<std::size_t>(rank)] = 1;
  for (std::int32_t from = ranks - 1; from > 0; --from)
    schedule.streams[0].push_back(make(Kind::ireceive, from, bytes, ranks - 1 - from));
  for (std::int32_t i = 0; i + 1 < ranks; ++i)
    schedule.streams[0].push_back(make(Kind::wait, -1, 0, i));
  schedule.streams[1].push_back(make(Kind::send, 0, bytes));
  return schedule;
}

Schedule choose(Values& values) {
  if (values.name == "pingpong") return pingpong(values);
  if (values.name == "halo2d") return halo2d(values);
  if (values.name == "gather_reverse") return gather_reverse(values);
  if (values.name == "barriers") return repeated(values, Collective::barrier);
  for (int i = 1; i <= static_cast<int>(Collective::exclusive_scan); ++i)
    if (values.name == schedule::name_of(static_cast<Collective>(i)))
      return repeated(values, static_cast<Collective>(i));
  throw base::UserError(
      base::ExitCode::usage,
      fmt::format("there is nothing called '{}' to generate; see hakaru_replay --help",
                  values.name));
}

}  // namespace

Schedule generate(const std::string& text) {
  Values values(text);
  Schedule schedule = choose(values);
  values.require_empty();
  return schedule;
}

}  // namespace hakaru::replay
