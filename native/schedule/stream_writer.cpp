#include "native/schedule/stream_writer.hpp"

#include <utility>

#include "native/base/require.hpp"
#include "native/schedule/stream_index.hpp"

namespace hakaru::schedule {
namespace {

Operation marker(Kind kind, std::uint64_t times, std::size_t partner) {
  Operation operation;
  operation.kind = kind;
  operation.bytes = times;
  operation.payload = static_cast<std::int32_t>(partner);
  return operation;
}

}  // namespace

StreamWriter::StreamWriter(Schedule& schedule, std::int32_t rank) : RankWriter(schedule, rank) {
  if (!schedule.index) schedule.index = std::make_shared<StreamIndex>();
}

void StreamWriter::repeat(std::uint64_t times, const std::function<void()>& body) {
  if (times == 0) return;
  if (times == 1) return body();
  const std::size_t begin = stream_.size();
  stream_.push_back(marker(Kind::loop_begin, times, 0));
  body();
  if (stream_.size() == begin + 1) return stream_.pop_back();
  stream_[begin].payload = static_cast<std::int32_t>(stream_.size());
  stream_.push_back(marker(Kind::loop_end, 0, begin));
}

void StreamWriter::compute(const Work& work) {
  Operation operation;
  operation.phase = innermost();
  operation.payload = index().work(schedule(), work);
  stream_.push_back(operation);
}

std::int32_t StreamWriter::payload_of(const std::vector<std::int64_t>& list) {
  return index().list(schedule(), list);
}

void StreamWriter::finish() {
  HAKARU_EXPECTS(innermost() == no_phase);
  Schedule& all = schedule();
  if (all.stream_of_rank.size() != static_cast<std::size_t>(all.ranks))
    all.stream_of_rank.resize(static_cast<std::size_t>(all.ranks));
  all.stream_of_rank[static_cast<std::size_t>(rank())] =
      index().place(all, rank(), std::move(stream_));
  stream_.clear();
}

}  // namespace hakaru::schedule
