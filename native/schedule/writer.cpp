#include "native/schedule/writer.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "native/base/pieces.hpp"
#include "native/base/require.hpp"

namespace hakaru::schedule {
namespace {

Operation message(Kind kind, std::int32_t peer, std::int32_t tag, std::uint64_t bytes,
                  std::uint32_t communicator) {
  Operation operation;
  operation.kind = kind;
  operation.peer = peer;
  operation.tag = tag;
  operation.communicator = communicator;
  operation.bytes = bytes;
  return operation;
}

}  // namespace

RankWriter::RankWriter(Schedule& schedule, std::int32_t rank) : schedule_(schedule), rank_(rank) {
  HAKARU_EXPECTS(rank >= 0 && rank < schedule.ranks);
}

void RankWriter::say(Operation operation) {
  operation.phase = innermost();
  add(operation);
}

void RankWriter::each(std::uint64_t times, const std::function<void(std::uint64_t)>& body) {
  for (std::uint64_t i = 0; i < times; ++i) body(i);
}

void RankWriter::messages(double, double, const std::function<void()>& body) { body(); }

void RankWriter::phase(const std::string& name, const std::function<void()>& body) {
  const auto found = std::find_if(schedule_.phases.begin(), schedule_.phases.end(),
                                  [&](const Phase& phase) { return phase.name == name; });
  if (found == schedule_.phases.end())
    throw std::logic_error("phase '" + name + "' is not described");
  phases_.push_back(static_cast<std::uint16_t>(found - schedule_.phases.begin()));
  say(message(Kind::phase_begin, -1, 0, 0, world));
  body();
  say(message(Kind::phase_end, -1, 0, 0, world));
  phases_.pop_back();
}

void RankWriter::compute_seconds(double seconds) {
  Operation operation;
  operation.seconds = seconds;
  say(operation);
}

std::int32_t RankWriter::new_request() {
  const auto free = std::find(open_requests_.begin(), open_requests_.end(), false);
  const auto request = static_cast<std::int32_t>(free - open_requests_.begin());
  if (free == open_requests_.end())
    open_requests_.push_back(true);
  else
    *free = true;
  return request;
}

void RankWriter::send(std::int32_t to, std::int32_t tag, std::uint64_t bytes,
                      std::uint32_t communicator) {
  say(message(Kind::send, to, tag, bytes, communicator));
}

void RankWriter::receive(std::int32_t from, std::int32_t tag, std::uint64_t bytes,
                         std::uint32_t communicator) {
  say(message(Kind::receive, from, tag, bytes, communicator));
}

std::int32_t RankWriter::start(Operation operation) {
  operation.request = new_request();
  say(operation);
  return operation.request;
}

std::int32_t RankWriter::isend(std::int32_t to, std::int32_t tag, std::uint64_t bytes,
                               std::uint32_t communicator) {
  return start(message(Kind::isend, to, tag, bytes, communicator));
}

std::int32_t RankWriter::start_persistent(std::int32_t to, std::int32_t tag, std::uint64_t bytes,
                                          std::uint32_t communicator) {
  Operation operation = message(Kind::isend, to, tag, bytes, communicator);
  operation.persistent = true;
  return start(operation);
}

std::int32_t RankWriter::ireceive(std::int32_t from, std::int32_t tag, std::uint64_t bytes,
                                  std::uint32_t communicator) {
  return start(message(Kind::ireceive, from, tag, bytes, communicator));
}

void RankWriter::wait(std::int32_t request) {
  HAKARU_EXPECTS(request >= 0 && static_cast<std::size_t>(request) < open_requests_.size() &&
                 open_requests_[static_cast<std::size_t>(request)]);
  open_requests_[static_cast<std::size_t>(request)] = false;
  Operation operation = message(Kind::wait, -1, 0, 0, world);
  operation.request = request;
  say(operation);
}

void RankWriter::send_receive(std::int32_t to, std::uint64_t bytes_out, std::int32_t from,
                              std::uint64_t bytes_in, std::int32_t tag,
                              std::uint32_t communicator) {
  if (from < 0 && to < 0) return;
  if (from < 0) return send(to, tag, bytes_out, communicator);
  if (to < 0) return receive(from, tag, bytes_in, communicator);
  const std::int32_t request = ireceive(from, tag, bytes_in, communicator);
  send(to, tag, bytes_out, communicator);
  wait(request);
}

void RankWriter::add_collective(Collective what, std::uint64_t bytes, std::uint32_t communicator,
                                std::int32_t root, std::int32_t request, std::int32_t payload) {
  Operation operation = message(Kind::collective, has_root(what) ? root : -1, 0,
                                what == Collective::barrier ? 0 : bytes, communicator);
  operation.collective = what;
  operation.request = request;
  operation.payload = payload;
  say(operation);
}

void RankWriter::collective(Collective what, std::uint64_t bytes, std::uint32_t communicator,
                            std::int32_t root) {
  add_collective(what, bytes, communicator, root, no_request, no_payload);
}

std::int32_t RankWriter::icollective(Collective what, std::uint64_t bytes,
                                     std::uint32_t communicator, std::int32_t root) {
  const std::int32_t request = new_request();
  add_collective(what, bytes, communicator, root, request, no_payload);
  return request;
}

void RankWriter::collective_lengths(Collective what, const std::vector<std::int64_t>& bytes,
                                    std::uint32_t communicator, std::int32_t root) {
  add_collective(what, 0, communicator, root, no_request, payload_of(bytes));
}

void RankWriter::put(std::int32_t to, std::uint64_t bytes, std::uint32_t communicator) {
  say(message(Kind::put, to, 0, bytes, communicator));
}

void RankWriter::get(std::int32_t from, std::uint64_t bytes, std::uint32_t communicator) {
  say(message(Kind::get, from, 0, bytes, communicator));
}

void RankWriter::add_transfer(Kind kind, std::int32_t peer, std::uint64_t bytes,
                              const Transfer& transfer, std::uint32_t communicator) {
  Operation operation = message(kind, peer, transfer.received_flag, bytes, communicator);
  if (transfer.sent_flag != 0 || transfer.items != 0)
    operation.payload = payload_of({transfer.sent_flag, transfer.items});
  say(operation);
}

void RankWriter::put(std::int32_t to, std::uint64_t bytes, const Transfer& transfer,
                     std::uint32_t communicator) {
  add_transfer(Kind::put, to, bytes, transfer, communicator);
}

void RankWriter::get(std::int32_t from, std::uint64_t bytes, const Transfer& transfer,
                     std::uint32_t communicator) {
  add_transfer(Kind::get, from, bytes, transfer, communicator);
}

void RankWriter::flag_wait(std::int32_t flag, std::uint64_t more) {
  say(message(Kind::flag_wait, -1, flag, more, world));
}

void RankWriter::acknowledge(std::uint32_t communicator) {
  say(message(Kind::flush, -1, 0, 0, communicator));
}

void RankWriter::fence(std::uint32_t communicator) {
  say(message(Kind::fence, -1, 0, 0, communicator));
}

void RankWriter::file(Kind what, std::uint64_t bytes, bool collective, std::uint32_t communicator) {
  HAKARU_EXPECTS(what == Kind::file_read || what == Kind::file_write || what == Kind::file_open ||
                 what == Kind::file_close);
  Operation operation = message(what, -1, 0, bytes, communicator);
  operation.mode = collective ? Mode::collective : Mode::standard;
  say(operation);
}

void RankWriter::file_part(Kind what, std::uint64_t bytes, std::uint32_t communicator) {
  base::in_pieces(bytes,
                  [&](std::size_t, std::size_t piece) { file(what, piece, false, communicator); });
}

std::uint32_t RankWriter::split(const std::string& name,
                                const std::function<std::int32_t(std::int32_t)>& colour_of) {
  return schedule::split(schedule_, name, colour_of);
}

std::uint32_t split(Schedule& schedule, const std::string& name,
                    const std::function<std::int32_t(std::int32_t)>& colour_of) {
  auto& families = schedule.communicators;
  for (std::size_t i = 0; i < families.size(); ++i)
    if (families[i].name == name) return static_cast<std::uint32_t>(i);
  std::map<std::int32_t, std::vector<std::int32_t>> by_colour;
  for (std::int32_t rank = 0; rank < schedule.ranks; ++rank)
    if (const std::int32_t colour = colour_of(rank); colour >= 0) by_colour[colour].push_back(rank);
  CommunicatorFamily family;
  family.name = name;
  for (auto& [colour, group] : by_colour) family.groups.push_back(std::move(group));
  families.push_back(std::move(family));
  return static_cast<std::uint32_t>(families.size() - 1);
}

}  // namespace hakaru::schedule
