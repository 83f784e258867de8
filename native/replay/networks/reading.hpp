// Reading the parts of a network document that models have in common.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "native/replay/networks/network.hpp"

namespace hakaru::replay {

// Throws UserError(usage) when `object` is no object or has a key that is not among `known`.
void require_keys(const nlohmann::json& object, const std::string& where,
                  const std::vector<std::string>& known);

// A number of at least `minimum`; `fallback` when the key is absent (NaN: the key is required).
double number(const nlohmann::json& object, const std::string& where, const char* key,
              double fallback, double minimum = 0);
// A whole number.
std::int64_t count(const nlohmann::json& object, const std::string& where, const char* key,
                   std::int64_t fallback, std::int64_t minimum = 0);

// A value of sizes up to maximum_bytes, from where the piece before ends.
struct Piece {
  std::uint64_t maximum_bytes = UINT64_MAX;
  double value = 0;
};

// A number, or [{"minimum_bytes", "maximum_bytes", value_key}]: pieces in ascending order that
// cover every size; a gap between two belongs to the upper one, sizes beyond the last to the last.
std::vector<Piece> read_pieces(const nlohmann::json& object, const std::string& where,
                               const char* key, const char* value_key = "value_s",
                               double fallback = 0.0, double least = 0.0);

double value_at(const std::vector<Piece>& pieces, std::uint64_t bytes);

// {"latency_s", "send_overhead": [{"minimum_bytes", "maximum_bytes", "value_s"}] or a number,
// "receive_overhead", "gap",
//  "gap_per_byte", "eager_limit_bytes", "attended_above_bytes", "release", "crossing", "progress",
//  "later", "one_sided", "packing": [{"piece_bytes", "bytes", "s_per_byte"}], "after_work":
//  [{"work_s", "bytes", "value_s"}], "sending": [the same], "receiving": [{"bytes", "value_s"}],
//  "refilling": [{"waited_s", "memory_bytes", "sweep_s", "value_s"}], "first_uses": [{"bytes",
//  "use", "value"}]}
Level read_level(const nlohmann::json& level, const std::string& where);

// The level of that name under "levels"; where it is absent, the next one outwards in core, socket,
// node, switch, else inwards.
Level read_level_or_next(const nlohmann::json& network, const std::string& name);

// The level "self": a message to oneself, whose time per byte is the CPU's. Where it is absent the
// message costs nothing; no other level stands for it, except that its protocol (the eager limit)
// is that of the nearest ranks.
Level read_self_level(const nlohmann::json& network);

// {"gap_s", "gap_per_byte_s"} or {"rate_bytes_per_s"}
LinkRate read_link(const nlohmann::json& link, const std::string& where);

}  // namespace hakaru::replay
