#include "native/replay/engine/matching.hpp"

#include <utility>

namespace hakaru::replay {

Found Matching::behind(const Inbox& inbox, const Key& key) const {
  return inbox.is_table ? Found{first_in_table(inbox, key), none, none} : in_list(inbox, key);
}

Found Matching::in_list(const Inbox& inbox, const Key& key) const {
  std::uint32_t previous = none;
  for (std::uint32_t index = inbox.first; index != none; index = entries_[index].next) {
    if (entries_[index].is(key)) return {index, none, previous};
    previous = index;
  }
  return {};
}

void Matching::append_behind(Inbox& inbox, const Key& key, std::uint32_t index) {
  if (inbox.is_table) {
    append_to_table(inbox, key, index);
    return;
  }
  std::uint32_t last = in_list(inbox, key).entry;
  if (last == none) {
    entries_[index].next = inbox.first;
    inbox.first = index;
  } else {
    while (entries_[last].next != none && entries_[entries_[last].next].is(key))
      last = entries_[last].next;
    entries_[index].next = entries_[last].next;
    entries_[last].next = index;
  }
  if (++inbox.listed > longest_list) become_table(inbox);
}

void Matching::remove_behind(Inbox& inbox, const Found& found) {
  if (inbox.is_table) {
    remove_from_table(inbox, found.entry);
    return;
  }
  --inbox.listed;
  const std::uint32_t next = entries_[found.entry].next;
  (found.previous == none ? inbox.first : entries_[found.previous].next) = next;
}

std::size_t Matching::hash(const Key& key) {
  std::uint64_t x = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.source)) << 32U |
                     static_cast<std::uint32_t>(key.tag)) ^
                    (static_cast<std::uint64_t>(key.channel) * 0x9e3779b97f4a7c15ULL);
  x = (x ^ (x >> 32U)) * 0xd6e8feb86659fd93ULL;
  return x ^ (x >> 32U);
}

// Where the key's chain is, or the free place where it would be.
std::size_t Matching::place(const Table& table, const Key& key) const {
  const std::size_t mask = table.chains.size() - 1;
  std::size_t at = hash(key) & mask;
  while (table.chains[at].first != none && !entries_[table.chains[at].first].is(key))
    at = (at + 1) & mask;
  return at;
}

std::uint32_t Matching::first_in_table(const Inbox& inbox, const Key& key) const {
  const Table& table = *tables_[inbox.first];
  return table.chains[place(table, key)].first;
}

void Matching::append_to_table(Inbox& inbox, const Key& key, std::uint32_t index) {
  Table& table = *tables_[inbox.first];
  if (2 * (table.used + 1) > table.chains.size()) grow(table);
  Chain& chain = table.chains[place(table, key)];
  if (chain.first == none) {
    chain.first = index;
    ++table.used;
  } else {
    entries_[chain.last].next = index;
  }
  chain.last = index;
}

void Matching::remove_from_table(Inbox& inbox, std::uint32_t entry) {
  Table& table = *tables_[inbox.first];
  const std::size_t at = place(table, key_of(entry));
  Chain& chain = table.chains[at];
  if (chain.first == chain.last) {
    erase(table, at);
  } else {
    chain.first = entries_[entry].next;
  }
}

// Closes the hole, so that searches need no marks of removed places.
void Matching::erase(Table& table, std::size_t at) {
  const std::size_t mask = table.chains.size() - 1;
  std::size_t hole = at;
  for (std::size_t i = (at + 1) & mask; table.chains[i].first != none; i = (i + 1) & mask) {
    const std::size_t home = hash(key_of(table.chains[i].first)) & mask;
    if (((i - home) & mask) >= ((i - hole) & mask)) {
      table.chains[hole] = table.chains[i];
      hole = i;
    }
  }
  table.chains[hole] = Chain{};
  --table.used;
}

void Matching::grow(Table& table) {
  std::vector<Chain> old = std::exchange(table.chains, std::vector<Chain>(2 * table.chains.size()));
  for (const Chain& chain : old)
    if (chain.first != none) table.chains[place(table, key_of(chain.first))] = chain;
}

void Matching::become_table(Inbox& inbox) {
  std::uint32_t index = inbox.first;
  inbox.first = static_cast<std::uint32_t>(tables_.size());
  inbox.is_table = true;
  tables_.push_back(std::make_unique<Table>());
  tables_.back()->chains.resize(64);
  while (index != none) {
    const std::uint32_t next = entries_[index].next;
    entries_[index].next = none;
    append_to_table(inbox, key_of(index), index);
    index = next;
  }
}

}  // namespace hakaru::replay
