// Stores what a rank does in a schedule. Streams that turn out equal, with peers taken relative to
// the rank, are stored once, so that 65,536 ranks of a regular program need a handful of streams.
#pragma once

#include "native/schedule/writer.hpp"

namespace hakaru::schedule {

class StreamWriter final : public RankWriter {
 public:
  // Adds to `schedule`, which must outlive this.
  StreamWriter(Schedule& schedule, std::int32_t rank);

  void repeat(std::uint64_t times, const std::function<void()>& body) override;
  void compute(const Work& work) override;

  // Stores the stream, or finds the equal one another rank has stored. Call once, at the end.
  void finish();

 private:
  void add(const Operation& operation) override { stream_.push_back(operation); }
  std::int32_t payload_of(const std::vector<std::int64_t>& list) override;
  StreamIndex& index() { return *schedule().index; }

  Stream stream_;
};

}  // namespace hakaru::schedule
