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

// The entries of one rank: up to eight places, the first sent or posted first; what comes while
// they are full goes to a list behind them, which becomes a hash table when it is long. A mark of
// one byte per place tells mostly without looking at an entry whether it is of a key. In the list,
// entries of one key stand together, the first one first; keys come in front of those that were
// there before, as what came last is mostly wanted first and is still in the cache.
struct Inbox {
  static constexpr std::uint32_t most = 8;

  std::uint64_t marks = 0;  // byte i: of place i, 0 when it is free
  std::uint32_t places[most];
  std::uint32_t first = none;  // of the list, or the table's number
  std::uint8_t size = 0;       // of the places
  bool is_table = false;
  std::uint16_t listed = 0;  // in the list
};
static_assert(sizeof(Inbox) == 48);

struct Found {
  std::uint32_t entry = none;
  std::uint32_t place = none;     // none: in the list or the table
  std::uint32_t previous = none;  // in the list
};

class Matching {
 public:
  // First entry of that key.
  [[gnu::always_inline]] Found find(const Inbox& inbox, const Key& key) const {
    for (std::uint64_t hits = hits_of(inbox.marks, mark(key)); hits != 0; hits &= hits - 1) {
      const auto place = static_cast<std::uint32_t>(std::countr_zero(hits)) / 8;
      if (entries_[inbox.places[place]].is(key)) return {inbox.places[place], place, none};
    }
    if (inbox.first == none) return {};
    return behind(inbox, key);
  }
  Entry& operator[](std::uint32_t index) { return entries_[index]; }
  const Entry& operator[](std::uint32_t index) const { return entries_[index]; }

  [[gnu::always_inline]] std::uint32_t append(Inbox& inbox, const Key& key, EntryKind kind,
                                              std::uint64_t bytes_or_node, double time_s) {
    const std::uint32_t index = entries_.take();
    Entry& entry = entries_[index];
    entry.next = none;
    entry.source = key.source;
    entry.tag = key.tag;
    entry.channel_and_kind = key.channel << 2U | static_cast<std::uint32_t>(kind);
    entry.bytes = bytes_or_node;
    entry.time_s = time_s;
    if (inbox.first != none) {
      append_behind(inbox, key, index);
    } else if (inbox.size == Inbox::most) {
      inbox.first = index;
      inbox.listed = 1;
    } else {
      inbox.marks |= static_cast<std::uint64_t>(mark(key)) << (8U * inbox.size);
      inbox.places[inbox.size++] = index;
    }
    return index;
  }

  // Takes the found entry, which is the first of its key, out.
  void remove(Inbox& inbox, const Found& found) {
    if (found.place == none) {
      remove_behind(inbox, found);
    } else {
      const std::uint64_t before = (std::uint64_t{1} << (8U * found.place)) - 1;
      inbox.marks = (inbox.marks & before) | (inbox.marks >> 8U & ~before);
      --inbox.size;
      for (std::uint32_t place = found.place; place < inbox.size; ++place)
        inbox.places[place] = inbox.places[place + 1];
    }
    entries_.give_back(found.entry);
  }

  // Calls visit(entry) for all entries of a rank, in no particular order.
  template <class Visit>
  void for_each(const Inbox& inbox, const Visit& visit) const {
    for (std::uint32_t place = 0; place < inbox.size; ++place) visit(entries_[inbox.places[place]]);
    if (!inbox.is_table) {
      for (std::uint32_t i = inbox.first; i != none; i = entries_[i].next) visit(entries_[i]);
      return;
    }
    for (const Chain& chain : tables_[inbox.first]->chains)
      for (std::uint32_t i = chain.first; i != none; i = entries_[i].next) visit(entries_[i]);
  }

 private:
  static constexpr std::uint32_t longest_list = 24;

  struct Chain {  // entries of one key, in order; first == none: the place is free
    std::uint32_t first = none;
    std::uint32_t last = none;
  };
  struct Table {  // open addressing, a power of two of places, at most half full
    std::vector<Chain> chains;
    std::size_t used = 0;
  };

  // The bytes of a word that equal the mark: the zero-byte test (Warren, Hacker's Delight, 6-1),
  // whose lowest hit is exact; others are to be checked.
  static std::uint64_t hits_of(std::uint64_t word, std::uint8_t mark) {
    constexpr std::uint64_t ones = 0x0101010101010101ULL;
    const std::uint64_t other = word ^ (ones * mark);
    return (other - ones) & ~other & (ones << 7U);
  }
  // From 128 on, so that a free place is never a hit, not even a false one.
  static std::uint8_t mark(const Key& key) {
    const auto source = static_cast<std::uint32_t>(key.source);
    const auto tag = static_cast<std::uint32_t>(key.tag);
    const std::uint32_t mixed = (source + 8 * tag + 2 * key.channel) * 2654435769U;
    return static_cast<std::uint8_t>(mixed >> 24U | 0x80U);
  }
  Found behind(const Inbox& inbox, const Key& key) const;
  Found in_list(const Inbox& inbox, const Key& key) const;
  void append_behind(Inbox& inbox, const Key& key, std::uint32_t index);
  void remove_behind(Inbox& inbox, const Found& found);
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
