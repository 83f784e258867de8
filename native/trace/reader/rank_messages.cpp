// Messages, requests and collectives of a rank.
#include <fmt/format.h>

#include <algorithm>

#include "native/base/require.hpp"
#include "native/trace/reader/rank_builder.hpp"

namespace hakaru::trace {

using schedule::Collective;
using schedule::Kind;
using schedule::Operation;

const RankBuilder::Membership& RankBuilder::member_of(std::uint32_t reference) {
  if (reference == last_communicator_ && last_membership_ != nullptr) return *last_membership_;
  const auto [place, fresh] = memberships_.try_emplace(reference);
  Membership& in = place->second;
  if (fresh || in.communicator == nullptr) {
    in.communicator = definitions_.communicators.find(reference);
    if (in.communicator == nullptr)
      impossible(fmt::format("communicator {} is not defined", reference));
    const Communicator& c = *in.communicator;
    const auto position = [&](const std::vector<std::int32_t>& members) {
      const auto found = std::find(members.begin(), members.end(), rank_);
      return found == members.end() ? -1 : static_cast<std::int32_t>(found - members.begin());
    };
    if (c.self) {
      in.size = 1;
      in.own_rank = 0;
    } else if (c.inter) {
      in.own_rank = std::max(position(c.members), position(c.remote));
      in.size =
          static_cast<std::int32_t>(position(c.members) >= 0 ? c.remote.size() : c.members.size());
    } else {
      in.size = c.all ? definitions_.ranks() : static_cast<std::int32_t>(c.members.size());
      in.own_rank = c.all ? rank_ : position(c.members);
    }
    if (in.own_rank < 0) impossible(fmt::format("it is no member of communicator {}", reference));
  }
  last_communicator_ = reference;
  last_membership_ = &in;
  return in;
}

std::int32_t RankBuilder::world_rank(const Membership& in, std::uint32_t rank) const {
  const Communicator& c = *in.communicator;
  const std::int64_t limit = c.world_ranks ? definitions_.ranks() : in.size;
  if (rank >= limit) impossible(fmt::format("rank {} of a communicator of {}", rank, limit));
  if (c.self) return rank_;
  if (c.world_ranks) return static_cast<std::int32_t>(rank);
  if (c.inter) {
    const bool in_a = std::find(c.members.begin(), c.members.end(), rank_) != c.members.end();
    return in_a ? c.remote[rank] : c.members[rank];
  }
  return c.all ? static_cast<std::int32_t>(rank) : c.members[rank];
}

Operation RankBuilder::message(Kind kind, std::uint32_t peer, std::uint32_t communicator,
                               std::uint32_t tag, std::uint64_t bytes, std::uint32_t piece_bytes) {
  const Membership& in = member_of(communicator);
  if (tag > 0x7fffffffu) impossible(fmt::format("a message with tag {}", tag));
  if (bytes > greatest_bytes) impossible(fmt::format("a message of {} bytes", bytes));
  if (piece_bytes > INT32_MAX)
    impossible(fmt::format("a message in pieces of {} bytes", piece_bytes));
  Operation operation;
  operation.kind = kind;
  operation.peer = world_rank(in, peer);
  operation.tag = static_cast<std::int32_t>(tag);
  operation.communicator = in.communicator->family;
  operation.bytes = bytes;
  if (piece_bytes > 0) operation.payload = static_cast<std::int32_t>(piece_bytes);
  return operation;
}

void RankBuilder::send(std::uint64_t time, std::uint32_t receiver, std::uint32_t communicator,
                       std::uint32_t tag, std::uint64_t bytes, std::uint32_t piece_bytes) {
  advance(time);
  Operation operation = message(Kind::send, receiver, communicator, tag, bytes, piece_bytes);
  if (call_ != nullptr) operation.mode = call_->call.mode;
  place(operation);
}

void RankBuilder::receive(std::uint64_t time, std::uint32_t sender, std::uint32_t communicator,
                          std::uint32_t tag, std::uint64_t bytes, std::uint32_t piece_bytes) {
  advance(time);
  place(message(Kind::receive, sender, communicator, tag, bytes, piece_bytes));
}

std::int32_t RankBuilder::open_request(std::uint64_t number) {
  const std::int32_t request = take_request();
  if (!requests_.insert(number, lane_stream_ << stream_shift | (stream_.size() - 1), request))
    impossible(fmt::format("request {} starts twice", number));
  stream_.back().request = request;
  return request;
}

OpenRequest RankBuilder::close_request(std::uint64_t number) {
  OpenRequest open = requests_.take(number);
  if (open.request < 0)
    impossible(fmt::format("request {} is completed but was not started", number));
  completed_ = number;
  beside_ = forking_ && open.operation >> stream_shift != lane_stream_;
  if (beside_) renumber(open);
  return open;
}

void RankBuilder::isend(std::uint64_t time, std::uint32_t receiver, std::uint32_t communicator,
                        std::uint32_t tag, std::uint64_t bytes, std::uint64_t request,
                        const Attributes& attributes) {
  advance(time);
  Operation operation =
      message(Kind::isend, receiver, communicator, tag, bytes, attributes.piece_bytes);
  if (call_ != nullptr) operation.mode = call_->call.mode;
  if (attributes.mode >= 0) {
    if (attributes.mode > static_cast<std::int32_t>(schedule::Mode::ready))
      impossible("a send with an unknown mode");
    operation.mode = static_cast<schedule::Mode>(attributes.mode);
  }
  operation.persistent = attributes.persistent;
  place(operation);
  open_request(request);
}

void RankBuilder::isend_end(std::uint64_t time, std::uint64_t request) {
  advance(time);
  const OpenRequest open = close_request(request);
  if (operation_at(open.operation).kind != Kind::isend)
    impossible(fmt::format("request {} is no send", request));
  add_wait(open.request);
}

void RankBuilder::ireceive_begin(std::uint64_t time, std::uint64_t request) {
  advance(time);
  Operation operation;
  operation.kind = Kind::ireceive;
  place(operation);
  open_request(request);
}

void RankBuilder::ireceive_end(std::uint64_t time, std::uint32_t sender, std::uint32_t communicator,
                               std::uint32_t tag, std::uint64_t bytes, std::uint64_t request,
                               std::uint32_t piece_bytes) {
  advance(time);
  const OpenRequest open = close_request(request);
  Operation& began = operation_at(open.operation);
  if (began.kind != Kind::ireceive) impossible(fmt::format("request {} is no receive", request));
  Operation known = message(Kind::ireceive, sender, communicator, tag, bytes, piece_bytes);
  known.request = open.request;
  known.phase = began.phase;
  began = known;
  add_wait(open.request);
}

void RankBuilder::cancelled(std::uint64_t time, std::uint64_t request) {
  advance(time);
  const OpenRequest open = close_request(request);
  make_void(open.operation);
  release(open.request);
}

// The inverse of how Score-P counts, see trace.hpp.
void RankBuilder::describe_bytes(const CollectiveEvent& e, const Membership& in,
                                 Operation& operation) const {
  const auto n = static_cast<std::uint64_t>(in.size);
  const auto me = static_cast<std::uint64_t>(in.own_rank);
  const auto block_of = [](std::uint64_t total, std::uint64_t blocks) {
    if (blocks == 0) return total;
    if (total % blocks == 0) return total / blocks;
    return blocks > 1 ? total / (blocks - 1) : total;
  };
  switch (e.operation) {
    case OTF2_COLLECTIVE_OP_BCAST:
      operation.bytes = e.received > 0 ? e.received : block_of(e.sent, n);
      break;
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
      operation.bytes = e.received > 0 ? e.received : block_of(e.sent, n - 1);
      break;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
      operation.bytes = e.sent > 0 ? e.sent : block_of(e.received, n - 1);
      break;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
      operation.bytes = block_of(e.sent, n);
      break;
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
      operation.bytes = e.sent;
      break;
    case OTF2_COLLECTIVE_OP_SCAN:
      operation.bytes = block_of(e.received, me + 1);
      break;
    case OTF2_COLLECTIVE_OP_EXSCAN:
      operation.bytes = me > 0 ? e.received / me : e.sent / std::max<std::uint64_t>(n - 1, 1);
      break;
    default:
      operation.bytes = 0;
  }
}

namespace {

struct Shape {
  Collective collective;
  bool rooted;
};

bool shape_of(OTF2_CollectiveOp operation, Shape& shape) {
  switch (operation) {
    case OTF2_COLLECTIVE_OP_BCAST:
      shape = {Collective::broadcast, true};
      return true;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
      shape = {Collective::gather, true};
      return true;
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
      shape = {Collective::scatter, true};
      return true;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
      shape = {Collective::allgather, false};
      return true;
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
      shape = {Collective::alltoall, false};
      return true;
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
      shape = {Collective::allreduce, false};
      return true;
    case OTF2_COLLECTIVE_OP_REDUCE:
      shape = {Collective::reduce, true};
      return true;
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
      shape = {Collective::reduce_scatter, false};
      return true;
    case OTF2_COLLECTIVE_OP_SCAN:
      shape = {Collective::scan, false};
      return true;
    case OTF2_COLLECTIVE_OP_EXSCAN:
      shape = {Collective::exclusive_scan, false};
      return true;
    default:
      shape = {Collective::barrier, false};
      return operation <= OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE;
  }
}

}  // namespace

std::int32_t RankBuilder::neighbour_list(const Attributes& attributes, const Membership& in) {
  std::vector<std::int64_t> list;
  for (const std::vector<std::int64_t>* pairs :
       {&attributes.neighbours_out, &attributes.neighbours_in}) {
    if (pairs->size() % 2 != 0) impossible("a neighbour without a length");
    for (std::size_t i = 0; i < pairs->size(); i += 2) {
      const std::int64_t rank = (*pairs)[i];
      if (rank < 0) impossible(fmt::format("a neighbour with rank {}", rank));
      list.push_back(
          world_rank(in, static_cast<std::uint32_t>(std::min<std::int64_t>(rank, 0x7fffffff))));
      list.push_back((*pairs)[i + 1]);
    }
  }
  return shared_.list(list);
}

Operation RankBuilder::describe(const CollectiveEvent& event, const Attributes& attributes) {
  const Membership& in = member_of(event.communicator);
  Shape shape{};
  if (!shape_of(event.operation, shape))
    impossible(fmt::format("collective operation {} is unknown", event.operation));
  if (event.sent > greatest_bytes || event.received > greatest_bytes) {
    impossible(fmt::format("a collective of {} bytes", std::max(event.sent, event.received)));
  }
  Operation operation;
  operation.kind = Kind::collective;
  operation.collective = shape.collective;
  operation.communicator = in.communicator->family;
  describe_bytes(event, in, operation);
  if (shape.rooted) {
    const std::int32_t root = world_rank(in, event.root);
    operation.peer = static_cast<std::int32_t>(event.root);
    if (in.communicator->world_ranks && !in.communicator->all) {
      const std::vector<std::int32_t>& members = in.communicator->members;
      operation.peer = static_cast<std::int32_t>(std::find(members.begin(), members.end(), root) -
                                                 members.begin());
    }
  }
  const bool receives =
      shape.collective == Collective::gather || shape.collective == Collective::allgather;
  const std::vector<std::int64_t>& lengths =
      receives ? attributes.received_from : attributes.sent_to;
  for (const std::int64_t value : lengths) {
    if (value < 0 || value > static_cast<std::int64_t>(greatest_bytes))
      impossible(fmt::format("a block of {} bytes", value));
  }
  if (attributes.neighbours) {
    operation.collective = Collective::neighbour_exchange;
    operation.grid = attributes.grid;
    operation.payload = neighbour_list(attributes, in);
    operation.bytes = attributes.neighbours_out.size() / 2;
  } else if (!lengths.empty()) {
    if (lengths.size() != static_cast<std::size_t>(in.size)) {
      impossible(fmt::format("{} lengths for {} ranks", lengths.size(), in.size));
    }
    operation.payload = shared_.list(lengths);
  }
  return operation;
}

void RankBuilder::collective(std::uint64_t time, const CollectiveEvent& event,
                             const Attributes& attributes) {
  advance(time);
  if (attributes.spawn) return spawn(event, attributes);
  if (call_ != nullptr && call_->call.kind == CallKind::environment) return;
  const bool management = event.operation >= OTF2_COLLECTIVE_OP_CREATE_HANDLE;
  if (management && !shared_.options.management) return;
  if (between_groups(event)) return inter_collective(event, attributes);
  const Operation operation = describe(event, attributes);
  if (management) return place_making(operation);
  place(operation);
}

// All barriers (and making or freeing handles) are the same in both kinds of communicators.
bool RankBuilder::between_groups(const CollectiveEvent& event) {
  Shape shape{};
  return member_of(event.communicator).communicator->inter && shape_of(event.operation, shape) &&
         shape.collective != Collective::barrier;
}

void RankBuilder::icollective_begin(std::uint64_t time, std::uint64_t request) {
  advance(time);
  Operation operation;
  operation.kind = Kind::collective;
  place(operation);
  open_request(request);
}

void RankBuilder::icollective_end(std::uint64_t time, const CollectiveEvent& event,
                                  std::uint64_t request, const Attributes& attributes) {
  advance(time);
  const OpenRequest open = close_request(request);
  Operation& began = operation_at(open.operation);
  if (began.kind != Kind::collective)
    impossible(fmt::format("request {} is no collective", request));
  if (between_groups(event)) {
    make_void(open.operation);
    release(open.request);
    ++unblocked_between_groups_;
    return;
  }
  Operation known = describe(event, attributes);
  known.request = open.request;
  known.phase = began.phase;
  began = known;
  add_wait(open.request);
}

}  // namespace hakaru::trace
