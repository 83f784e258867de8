#include "probes/operating_system/items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "native/base/require.hpp"

namespace hakaru::probes::operating_system {

void unavailable(const std::string& what) {
  throw Unavailable(fmt::format("{}: {}", what, std::strerror(errno)));
}

void Truth::equal(const std::string& what, double found, double expected) {
  ++checked_;
  if (found == (damaged_ ? expected + 1.0 : expected)) return;
  if (++wrong_ == 1) first_wrong_ = fmt::format("{}: {:g} instead of {:g}", what, found, expected);
}

Items all_items(const Conditions& conditions) {
  Items items;
  add_calls(items);
  add_spawning(items);
  add_arithmetic(items);
  add_switching(items);
  add_local_latency(items);
  add_files(items);
  add_faults(items);
  add_bandwidth(items, conditions);
  add_memory(items, conditions);
  return items;
}

Items chosen(const Items& items, const std::string& wanted) {
  Items found;
  std::istringstream words(wanted);
  for (std::string word; std::getline(words, word, ',');) {
    const auto named = [&](const Item& item) { return item.group == word || item.name == word; };
    base::require(std::any_of(items.begin(), items.end(), named),
                  fmt::format("items={} names no item of the summary", word),
                  "it is neither a group nor a name",
                  "name groups like processes,context-switch or items like 'null call'");
    std::copy_if(items.begin(), items.end(), std::back_inserter(found), named);
  }
  return wanted.empty() ? items : found;
}

}  // namespace hakaru::probes::operating_system
