// Which message belongs to which receive. Per destination rank: what was sent and not yet received,
// or posted and not yet sent, in order. MPI's rule: of one key (source, tag, communicator), the
// n-th message belongs to the n-th receive, whatever arrives first.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "native/replay/engine/pool.hpp"

namespace hakaru::replay {

struct Key {
  std::int32_t source;
  std::int32_t tag;
  std::uint32_t channel;  // communicator family and what kind of traffic, below 2^30
  bool operator==(const Key&) const = default;
};

enum class EntryKind : std::uint32_t {
  message,  // sent; arrives at `time_s`
  flight,   // sent; what is known of it is in flight `node`
  receive,  // posted; completes waiter `node`, posted at `time_s`
  probe,    // waiter `node` is to be told of the first message
};

struct Entry {
  std::uint32_t next;
  std::int32_t source;
  std::int32_t tag;
  std::uint32_t channel_and_kind;
  union {
    std::uint64_t bytes;
    std::uint64_t node;  // of flight, receive, probe: bytes are known elsewhere
  };
  double time_s;

  EntryKind kind() const { return static_cast<EntryKind>(channel_and_kind & 3U); }
  std::uint32_t channel() const { return channel_and_kind >> 2U; }
  bool is(const Key& key) const {
    return source == key.source && tag == key.tag && channel() == key.channel;
  }
};
static_assert(sizeof(Entry) == 32);

// A multiset of up to 16 marks of one byte each, 0 meaning a free place. Found with the zero-byte
// test on eight bytes at a time (Warren, Hacker's Delight, 6-1), whose lowest hit is exact.
class Marks {
 public:
  bool has(std::uint8_t mark) const { return (hits(words_[0], mark) | hits(words_[1], mark)) != 0; }
  // False when there is no free place.
  bool put(std::uint8_t mark) { return replace(0, mark); }
  // False when it is not there.
  bool take(std::uint8_t mark) { return replace(mark, 0); }

 private:
  static constexpr std::uint64_t ones = 0x0101010101010101ULL;
  static std::uint64_t hits(std::uint64_t word, std::uint8_t mark) {
    const std::uint64_t other = word ^ (ones * mark);
    return (other - ones) & ~other & (ones << 7U);
  }
  bool replace(std::uint8_t from, std::uint8_t to) {
    for (std::uint64_t& word : words_) {
      const std::uint64_t found = hits(word, from);
      if (found == 0) continue;
      const int shift = std::countr_zero(found) - 7;
      word ^= static_cast<std::uint64_t>(from ^ to) << shift;
      return true;
    }
    return false;
  }
  std::uint64_t words_[2] = {0, 0};
};

// The entries of one rank: a list, which becomes a hash table when it is long. Entries of one key
// stand together, the first sent or posted first; keys come in front of those that were there
// before, as what came last is mostly wanted first and is still in the cache. Marks tell mostly
// without looking at the list that a key is not in it.
struct Inbox {
  std::uint32_t first = none;  // of the list, or the table's number
  std::uint16_t size = 0;      // of the list
  std::uint8_t unmarked = 0;   // entries that found no place among the marks
  bool is_table = false;
  Marks marks;
};
static_assert(sizeof(Inbox) == 24);

struct Found {
  std::uint32_t entry = none;
  std::uint32_t previous = none;
};

class Matching {
 public:
  // First entry of that key.
  Found find(const Inbox& inbox, const Key& key) const {
    if (inbox.is_table) return {first_in_table(inbox, key), none};
    if (inbox.unmarked == 0 && !inbox.marks.has(mark(key))) return {};
    std::uint32_t previous = none;
    for (std::uint32_t index = inbox.first; index != none; index = entries_[index].next) {
      if (entries_[index].is(key)) return {index, previous};
      previous = index;
    }
    return {};
  }
  Entry& operator[](std::uint32_t index) { return entries_[index]; }
  const Entry& operator[](std::uint32_t index) const { return entries_[index]; }

  // `found`: what find() gave for this key.
  std::uint32_t append(Inbox& inbox, const Found& found, const Key& key, EntryKind kind,
                       std::uint64_t bytes_or_node, double time_s) {
    const std::uint32_t index = entries_.take();
    Entry& entry = entries_[index];
    entry.next = none;
    entry.source = key.source;
    entry.tag = key.tag;
    entry.channel_and_kind = key.channel << 2U | static_cast<std::uint32_t>(kind);
    entry.bytes = bytes_or_node;
    entry.time_s = time_s;
    if (inbox.is_table) {
      append_to_table(inbox, key, index);
      return index;
    }
    ++inbox.size;
    if (!inbox.marks.put(mark(key))) ++inbox.unmarked;
    if (found.entry == none) {
      entry.next = inbox.first;
      inbox.first = index;
    } else {
      std::uint32_t last = found.entry;
      while (entries_[last].next != none && entries_[entries_[last].next].is(key))
        last = entries_[last].next;
      entry.next = entries_[last].next;
      entries_[last].next = index;
    }
    if (inbox.size > longest_list) become_table(inbox);
    return index;
  }

  // Takes the found entry, which is the first of its key, out.
  void remove(Inbox& inbox, const Found& found) {
    if (inbox.is_table) {
      remove_from_table(inbox, found.entry);
    } else {
      const Entry& entry = entries_[found.entry];
      --inbox.size;
      if (!inbox.marks.take(mark({entry.source, entry.tag, entry.channel()}))) --inbox.unmarked;
      if (found.previous == none) {
        inbox.first = entry.next;
      } else {
        entries_[found.previous].next = entry.next;
      }
    }
    entries_.give_back(found.entry);
  }

  // Calls visit(entry) for all entries of a rank, in no particular order.
  template <class Visit>
  void for_each(const Inbox& inbox, const Visit& visit) const {
    if (!inbox.is_table) {
      for (std::uint32_t i = inbox.first; i != none; i = entries_[i].next) visit(entries_[i]);
      return;
    }
    for (const Chain& chain : tables_[inbox.first]->chains)
      for (std::uint32_t i = chain.first; i != none; i = entries_[i].next) visit(entries_[i]);
  }

 private:
  static constexpr std::uint32_t longest_list = 32;

  struct Chain {  // entries of one key, in order; first == none: the place is free
    std::uint32_t first = none;
    std::uint32_t last = none;
  };
  struct Table {  // open addressing, a power of two of places, at most half full
    std::vector<Chain> chains;
    std::size_t used = 0;
  };

  static std::uint8_t mark(const Key& key) {
    const auto source = static_cast<std::uint32_t>(key.source);
    const auto tag = static_cast<std::uint32_t>(key.tag);
    const std::uint32_t mixed = (source + tag * 40503U + key.channel * 10007U) * 2654435769U;
    const auto byte = static_cast<std::uint8_t>(mixed >> 24U);
    return byte != 0 ? byte : 1;
  }
  static std::size_t hash(const Key& key);
  Key key_of(std::uint32_t entry) const {
    return {entries_[entry].source, entries_[entry].tag, entries_[entry].channel()};
  }
  std::size_t place(const Table& table, const Key& key) const;
  std::uint32_t first_in_table(const Inbox& inbox, const Key& key) const;
  void append_to_table(Inbox& inbox, const Key& key, std::uint32_t index);
  void remove_from_table(Inbox& inbox, std::uint32_t entry);
  void become_table(Inbox& inbox);
  void grow(Table& table);
  void erase(Table& table, std::size_t at);

  Pool<Entry> entries_;
  std::vector<std::unique_ptr<Table>> tables_;
};

}  // namespace hakaru::replay
