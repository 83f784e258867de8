// Collectives over inter-communicators, and spawned worlds.
//
// They are told as what Open MPI 4.1 makes of them (ompi/mca/coll/inter): collectives inside the
// groups, and messages between the groups' leaders, their ranks 0. A leader cannot know the lengths
// that its group gave to a vector form: blocks of gatherv, scatterv, allgatherv and alltoall(v, w)
// go straight from rank to rank, as in coll/basic. reduce_scatter is coll/basic's.
#include <algorithm>

#include "native/trace/reader/rank_builder.hpp"

namespace hakaru::trace {

using schedule::Collective;
using schedule::Kind;
using schedule::Operation;

InterFamilies Shared::inter_families(const Communicator& communicator) {
  std::vector<schedule::CommunicatorFamily>& families = definitions.families;
  const auto [place, fresh] = inters.try_emplace(communicator.family);
  if (!fresh) return place->second;
  const std::string name = communicator.name;
  place->second.local = static_cast<std::uint32_t>(families.size());
  families.push_back({name + " groups", {communicator.members, communicator.remote}, false});
  place->second.across = static_cast<std::uint32_t>(families.size());
  families.push_back({name + " collectives", families[communicator.family].groups, false});
  return place->second;
}

namespace {

constexpr std::int32_t collective_tag = 0;

// One rank's part of one call.
class InterCall {
 public:
  InterCall(const CollectiveEvent& event, const Attributes& attributes,
            const Communicator& communicator, const InterFamilies& families, std::int32_t rank)
      : event_(event), attributes_(attributes), families_(families) {
    const std::vector<std::int32_t>& a = communicator.members;
    const bool in_a = std::find(a.begin(), a.end(), rank) != a.end();
    const std::vector<std::int32_t>& own = in_a ? a : communicator.remote;
    remote_ = in_a ? communicator.remote : a;
    size_ = own.size();
    leads_ = own[0] == rank;
  }

  std::vector<Operation> operations() {
    switch (event_.operation) {
      case OTF2_COLLECTIVE_OP_BCAST:
        return broadcast(), operations_;
      case OTF2_COLLECTIVE_OP_REDUCE:
        return to_root(Collective::reduce, event_.sent), operations_;
      case OTF2_COLLECTIVE_OP_GATHER:
        return to_root(Collective::gather, event_.sent * size_), operations_;
      case OTF2_COLLECTIVE_OP_GATHERV:
        return straight(roots_blocks(attributes_.received_from, Kind::receive)), operations_;
      case OTF2_COLLECTIVE_OP_SCATTER:
        return scatter(), operations_;
      case OTF2_COLLECTIVE_OP_SCATTERV:
        return straight(roots_blocks(attributes_.sent_to, Kind::send)), operations_;
      case OTF2_COLLECTIVE_OP_ALLREDUCE:
        local(Collective::reduce, event_.sent, 0);
        exchange(event_.sent, event_.received);
        return local(Collective::broadcast, event_.received, 0), operations_;
      case OTF2_COLLECTIVE_OP_ALLGATHER:
        local(Collective::gather, event_.sent, 0);
        exchange(event_.sent * size_, event_.received);
        return local(Collective::broadcast, event_.received, 0), operations_;
      case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
      case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
        local(Collective::reduce, event_.sent, 0);
        exchange(event_.sent, event_.sent);
        return local(Collective::scatter, event_.sent / size_, 0), operations_;
      default:
        return all_to_all(), operations_;
    }
  }

 private:
  bool is_root() const { return event_.root == OTF2_COLLECTIVE_ROOT_SELF; }
  bool takes_part() const { return is_root() || event_.root < remote_.size(); }
  std::int32_t root() const { return remote_[event_.root]; }

  void local(Collective what, std::uint64_t bytes, std::int32_t root_rank) {
    Operation operation;
    operation.kind = Kind::collective;
    operation.collective = what;
    operation.communicator = families_.local;
    operation.bytes = bytes;
    operation.peer = root_rank;
    operations_.push_back(operation);
  }
  void message(Kind kind, std::int32_t peer, std::uint64_t bytes) {
    Operation operation;
    operation.kind = kind;
    operation.peer = peer;
    operation.tag = collective_tag;
    operation.communicator = families_.across;
    operation.bytes = bytes;
    operations_.push_back(operation);
  }

  void exchange(std::uint64_t sent, std::uint64_t received) {
    if (!leads_) return;
    message(Kind::ireceive, remote_[0], received);
    message(Kind::send, remote_[0], sent);
  }
  void broadcast() {
    if (is_root()) return message(Kind::send, remote_[0], event_.sent);
    if (!takes_part()) return;
    if (leads_) message(Kind::receive, root(), event_.received);
    local(Collective::broadcast, event_.received, 0);
  }
  void to_root(Collective what, std::uint64_t leads_bytes) {
    if (is_root()) return message(Kind::receive, remote_[0], event_.received);
    if (!takes_part()) return;
    local(what, event_.sent, 0);
    if (leads_) message(Kind::send, root(), leads_bytes);
  }
  void scatter() {
    if (is_root()) return message(Kind::send, remote_[0], event_.sent);
    if (!takes_part()) return;
    if (leads_) message(Kind::receive, root(), event_.received * size_);
    local(Collective::scatter, event_.received, 0);
  }

  // Blocks between the root and each rank of the other group.
  struct Straight {
    Kind kind;
    std::vector<std::uint64_t> bytes;
  };
  Straight roots_blocks(const std::vector<std::int64_t>& lengths, Kind kind) const {
    const std::uint64_t total = kind == Kind::send ? event_.sent : event_.received;
    return {kind, blocks(lengths, total)};
  }
  std::vector<std::uint64_t> blocks(const std::vector<std::int64_t>& lengths,
                                    std::uint64_t total) const {
    if (lengths.size() == remote_.size()) return {lengths.begin(), lengths.end()};
    return std::vector<std::uint64_t>(remote_.size(), total / remote_.size());
  }
  void straight(const Straight& of_root) {
    if (is_root()) {
      for (std::size_t i = 0; i < remote_.size(); ++i)
        message(of_root.kind, remote_[i], of_root.bytes[i]);
    } else if (takes_part()) {
      const bool gives = of_root.kind == Kind::receive;
      message(gives ? Kind::send : Kind::receive, root(), gives ? event_.sent : event_.received);
    }
  }
  // Also allgatherv, whose block is the same for all.
  void all_to_all() {
    const bool same = event_.operation == OTF2_COLLECTIVE_OP_ALLGATHERV;
    const auto out = same ? std::vector<std::uint64_t>(remote_.size(), event_.sent)
                          : blocks(attributes_.sent_to, event_.sent);
    const auto in = blocks(attributes_.received_from, event_.received);
    for (std::size_t i = 0; i < remote_.size(); ++i) message(Kind::ireceive, remote_[i], in[i]);
    for (std::size_t i = 0; i < remote_.size(); ++i) message(Kind::isend, remote_[i], out[i]);
  }

  const CollectiveEvent& event_;
  const Attributes& attributes_;
  const InterFamilies families_;
  std::vector<std::int32_t> remote_;
  std::uint64_t size_ = 1;
  bool leads_ = false;
  std::vector<Operation> operations_;
};

}  // namespace

void RankBuilder::inter_collective(const CollectiveEvent& event, const Attributes& attributes) {
  const Communicator& communicator = *member_of(event.communicator).communicator;
  if (event.sent > greatest_bytes || event.received > greatest_bytes)
    impossible("a collective of too many bytes");
  for (const std::vector<std::int64_t>* lengths : {&attributes.sent_to, &attributes.received_from})
    for (const std::int64_t value : *lengths)
      if (value < 0 || value > static_cast<std::int64_t>(greatest_bytes))
        impossible("a block of a length that cannot be");
  InterCall call(event, attributes, communicator, shared_.inter_families(communicator), rank_);
  std::vector<std::int32_t> started;
  for (Operation operation : call.operations()) {
    if (operation.kind == Kind::isend || operation.kind == Kind::ireceive) {
      operation.request = take_request();
      started.push_back(operation.request);
      place(operation);
      continue;
    }
    place(operation);
    if (operation.kind != Kind::send) continue;
    for (const std::int32_t request : started) add_wait(request);
    started.clear();
  }
  for (const std::int32_t request : started) add_wait(request);
}

// Those who spawn and those who are spawned meet, the spawned start, and all go on.
void RankBuilder::spawn(const CollectiveEvent& event, const Attributes& attributes) {
  const Operation meet = describe(event, attributes);
  place(meet);
  if (attributes.spawn_start_up_ns > 0) {
    Operation start_up;
    start_up.kind = Kind::compute;
    start_up.seconds = 1e-9 * static_cast<double>(attributes.spawn_start_up_ns);
    place(start_up);
  }
  place(meet);
}

}  // namespace hakaru::trace
