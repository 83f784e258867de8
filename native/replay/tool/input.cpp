#include "native/replay/tool/input.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "native/base/require.hpp"
#include "native/replay/engine/replay.hpp"
#include "native/schedule/json.hpp"
#ifdef HAKARU_TRACE_READER
#include "native/trace/reader/trace.hpp"
#endif

namespace hakaru::replay {

Input read_input(const std::string& path, bool as_traced) {
  const bool archive = path.ends_with(".otf2") || std::filesystem::is_directory(path);
  if (!archive) return {schedule::read_json(path), {}};
#ifdef HAKARU_TRACE_READER
  trace::Trace trace =
      trace::read_replayable(path, {.tracing = as_traced, .inside = as_traced, .making = true});
  return {std::move(trace.schedule), std::move(trace.warnings)};
#else
  throw base::UserError(base::ExitCode::environment,
                        base::explain("cannot read '" + path + "'", "this build has no OTF2 reader",
                                      "install OTF2 and build again"));
#endif
}

std::string why_it_needs_buffers(const schedule::Schedule& schedule) {
  try {
    check(schedule, 0);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

namespace {

// Whether a level holds senders although their messages have gone.
bool attends(const nlohmann::json& network) {
  if (!network.contains("levels") || !network["levels"].is_object()) return false;
  const nlohmann::json& levels = network["levels"];
  return std::any_of(levels.begin(), levels.end(), [](const nlohmann::json& level) {
    return level.contains("attended_above_bytes");
  });
}

bool relies_on_buffering(Input& input) {
  if (!input.relies_on_buffering.has_value())
    input.relies_on_buffering = !why_it_needs_buffers(input.schedule).empty();
  return *input.relies_on_buffering;
}

}  // namespace

nlohmann::json network_for(Input& input, nlohmann::json network) {
  if (attends(network) && relies_on_buffering(input))
    for (nlohmann::json& level : network["levels"]) level.erase("attended_above_bytes");
  return network;
}

std::uint64_t operations_with_gaps(const schedule::Schedule& schedule) {
  std::uint64_t found = 0;
  for (const schedule::Stream& stream : schedule.streams)
    for (const schedule::Operation& operation : stream)
      found += operation.kind != schedule::Kind::compute &&
               operation.kind <= schedule::Kind::ireceive && has_gaps(operation);
  return found;
}

std::string unpriced(std::uint64_t with_gaps, const nlohmann::json& network) {
  if (with_gaps == 0) return "";
  for (const auto& [name, level] : network.at("levels").items())
    if (level.contains("packing")) return "";
  return fmt::format(
      "the data of messages lie in pieces with gaps ({} operations of the ranks), and packing them "
      "takes no time: the network does not price it (packing)",
      with_gaps);
}

}  // namespace hakaru::replay
