// Long messages from large pages: what maps memory page by page takes less for them.
#pragma once

#include <nlohmann/json.hpp>

namespace hakaru::replay {

// The network document as ranks meet it that send such a share of the bytes of long messages from
// large pages: by rendezvous G is less by that share of the level's `small_pages`, and the turn of
// messages that cross is shorter in proportion. No level of the result has `small_pages`.
// Throws UserError(usage) when a value is out of range.
nlohmann::json from_pages(nlohmann::json network, double in_large_pages);

}  // namespace hakaru::replay
