#include "native/trace/reader/shared_keys.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace hakaru::trace {
namespace {

using schedule::Kind;
using schedule::Operation;

// Sender, receiver, tag, communicator.
using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::uint32_t>;

bool sends(Kind kind) { return kind == Kind::send || kind == Kind::isend; }
bool receives(Kind kind) { return kind == Kind::receive || kind == Kind::ireceive; }

Key key_of(const Operation& o, std::int32_t rank) {
  return sends(o.kind) ? Key{rank, o.peer, o.tag, o.communicator}
                       : Key{o.peer, rank, o.tag, o.communicator};
}

struct Count {
  std::int32_t sent = 0, received = 0;
};

class Separation {
 public:
  Separation(schedule::Schedule& schedule, const std::vector<std::vector<Posting>>& posted)
      : schedule_(schedule), posted_(posted) {}

  void run() {
    find_shared();
    if (shared_.empty()) return;
    std::int32_t most = 0;
    for (const schedule::Stream& stream : schedule_.streams)
      for (const Operation& o : stream)
        if (sends(o.kind) || receives(o.kind)) most = std::max(most, o.tag);
    first_ = most < std::numeric_limits<std::int32_t>::max() / 2 ? most + 1 : 0;
    for (std::int32_t rank = 0; first_ > 0 && rank < schedule_.ranks; ++rank) renumber(rank);
  }

 private:
  void find_shared() {
    for (std::int32_t rank = 0; rank < schedule_.ranks; ++rank) {
      std::map<std::pair<Key, bool>, std::uint32_t> stream_of;
      for (const Posting& at : posted_[static_cast<std::size_t>(rank)]) {
        const Operation& o = schedule_.streams[at.stream][at.index];
        if (!sends(o.kind) && !receives(o.kind)) continue;
        const auto [place, fresh] =
            stream_of.try_emplace({key_of(o, rank), sends(o.kind)}, at.stream);
        if (place->second != at.stream) shared_.try_emplace(place->first.first);
      }
    }
  }

  void renumber(std::int32_t rank) {
    const std::vector<Posting>& posted = posted_[static_cast<std::size_t>(rank)];
    for (const Posting& at : posted) renumber(schedule_.streams[at.stream][at.index], rank);
    if (!posted.empty()) return;
    for (Operation& o : schedule_.streams[static_cast<std::size_t>(rank)]) renumber(o, rank);
  }

  void renumber(Operation& o, std::int32_t rank) {
    if (!sends(o.kind) && !receives(o.kind) && o.kind != Kind::probe) return;
    const auto found = shared_.find(key_of(o, rank));
    if (found == shared_.end()) return;
    Count& count = found->second;
    // A probe looks for what is received next.
    o.tag = first_ + (sends(o.kind)      ? count.sent++
                      : receives(o.kind) ? count.received++
                                         : count.received);
  }

  schedule::Schedule& schedule_;
  const std::vector<std::vector<Posting>>& posted_;
  std::map<Key, Count> shared_;
  std::int32_t first_ = 0;
};

}  // namespace

void separate_shared_keys(schedule::Schedule& schedule,
                          const std::vector<std::vector<Posting>>& posted) {
  Separation(schedule, posted).run();
}

}  // namespace hakaru::trace
