#include "native/schedule/counting_writer.hpp"

#include <numeric>

#include "native/base/doubling.hpp"

namespace hakaru::schedule {
namespace {

struct Messages {
  double number = 0.0, bytes = 0.0;
};

// A rank's place in its group of a family, and how many are in the group.
struct Member {
  std::int64_t place, size;
};

class Members {
 public:
  explicit Members(const Schedule& header) : header_(header) {}

  Member of(std::int32_t rank, std::uint32_t family) {
    const CommunicatorFamily& groups = header_.communicators[family];
    if (groups.self) return {0, 1};
    if (groups.groups.empty()) return {rank, header_.ranks};
    if (family >= known_.size()) known_.resize(family + 1);
    if (known_[family].empty()) known_[family] = members(groups);
    return known_[family][static_cast<std::size_t>(rank)];
  }

 private:
  std::vector<Member> members(const CommunicatorFamily& family) const {
    std::vector<Member> all(static_cast<std::size_t>(header_.ranks));
    for (const auto& group : family.groups)
      for (std::size_t i = 0; i < group.size(); ++i)
        all[static_cast<std::size_t>(group[i])] = {static_cast<std::int64_t>(i),
                                                   static_cast<std::int64_t>(group.size())};
    return all;
  }

  const Schedule& header_;
  std::vector<std::vector<Member>> known_;  // by family and rank
};

class CountingWriter final : public RankWriter {
 public:
  CountingWriter(Schedule& header, std::int32_t rank, Members& members,
                 std::vector<base::PhaseWork>& totals)
      : RankWriter(header, rank), members_(members), totals_(totals) {}

  void repeat(std::uint64_t times, const std::function<void()>& body) override {
    const double outside = times_;
    times_ *= static_cast<double>(times);
    if (times > 0) body();
    times_ = outside;
  }
  void each(std::uint64_t times, const std::function<void(std::uint64_t)>& body) override {
    repeat(times, [&] { body(0); });
  }
  void messages(double number, double bytes, const std::function<void()>&) override {
    count({number, bytes});
  }
  void compute(const Work& work) override {
    if (innermost() == no_phase) return;
    base::PhaseWork& total = totals_[innermost()];
    total.flops += times_ * work.flops;
    total.bytes += times_ * work.bytes;
    total.bytes_write_allocate += times_ * work.bytes_write_allocate;
  }

 private:
  void add(const Operation& operation) override {
    switch (operation.kind) {
      case Kind::phase_begin:
        totals_[operation.phase].calls += times_;
        return;
      case Kind::send:
      case Kind::isend:
      case Kind::put:
      case Kind::get:
      case Kind::accumulate:
        return count({1.0, static_cast<double>(operation.bytes)});
      case Kind::collective:
        return count(messages_of(operation));
      case Kind::file_read:
      case Kind::file_write: {
        const auto bytes = static_cast<double>(operation.bytes);
        return compute({0.0, bytes, bytes});
      }
      default:
        return;
    }
  }
  std::int32_t payload_of(const std::vector<std::int64_t>& list) override {
    list_ = list;
    return 0;
  }

  void count(const Messages& sent) {
    if (innermost() == no_phase || schedule().phases[innermost()].kind == "io") return;
    base::PhaseWork& total = totals_[innermost()];
    total.messages += times_ * sent.number;
    total.message_bytes += times_ * sent.bytes;
  }

  Messages messages_of(const Operation& operation) {
    const Member own = members_.of(rank(), operation.communicator);
    const auto bytes = static_cast<double>(operation.bytes);
    const auto partners = static_cast<double>(own.size - 1);
    const double rounds = base::doubling_rounds(own.size);
    if (operation.collective == Collective::allreduce) return {rounds, rounds * bytes};
    if (operation.collective != Collective::alltoall) return {};
    if (operation.payload == no_payload) return {partners, partners * bytes};
    const auto all = std::accumulate(list_.begin(), list_.end(), std::int64_t{0});
    return {partners, static_cast<double>(all - list_[static_cast<std::size_t>(own.place)])};
  }

  Members& members_;
  std::vector<base::PhaseWork>& totals_;
  std::vector<std::int64_t> list_;
  double times_ = 1.0;
};

}  // namespace

std::vector<base::PhaseWork> count_work(const std::vector<Phase>& phases, int ranks,
                                        const std::function<void(RankWriter&)>& write) {
  Schedule header;
  header.ranks = ranks;
  header.phases = phases;
  std::vector<base::PhaseWork> totals;
  for (const Phase& phase : phases) totals.push_back({phase.name});
  Members members(header);
  for (int rank = 0; rank < ranks; ++rank) {
    CountingWriter writer(header, rank, members, totals);
    write(writer);
  }
  return totals;
}

}  // namespace hakaru::schedule
