// What PUT and GET cost: latency, bandwidth, strides, flags, groups, against messages of MPI and
// MPI's own one-sided operations.
#include <algorithm>
#include <memory>

#include "native/harness/program.hpp"
#include "native/parallel/groups.hpp"
#include "probes/putget/epochs.hpp"
#include "probes/putget/pair.hpp"
#include "probes/putget/sampling.hpp"
#include "probes/putget/verification.hpp"

namespace hakaru::probes::putget {
namespace {

using base::PhaseKind;

constexpr std::int64_t shortest = 8, factor = 8;

std::vector<std::int64_t> sizes_of(const base::Parameters& parameters) {
  std::vector<std::int64_t> sizes;
  const std::int64_t longest = parameters.integer("maximum_bytes");
  for (std::int64_t bytes = shortest; bytes < longest; bytes *= factor) sizes.push_back(bytes);
  sizes.push_back(longest);
  return sizes;
}

// Of puts in items: from a line of a cache to below what libraries copy in a way of its own.
std::vector<std::int64_t> items_of(std::int64_t bytes) {
  constexpr std::int64_t line = 64, rows = 512, longest = 256 << 10;
  std::vector<std::int64_t> items;
  for (const std::int64_t item : {line, rows})
    if (item < bytes && bytes % item == 0 && bytes <= longest) items.push_back(item);
  return items;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class PutgetProbe final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("putget", "cost of PUT and GET, their flags, strides and groups");
    d.integer("maximum_bytes", 1 << 20, 8, 1 << 30, "B", "longest transfer, a multiple of 8")
        .integer("item_bytes", 8, 1, 1 << 20, "B", "item of a strided transfer")
        .integer("step_bytes", 64, 1, 1 << 24, "B", "from one item to the next")
        .integer("vector_bytes", 1024, 8, 1 << 24, "B", "vector of a group reduction")
        .integer("samples", 21, 1, 100'000, "1", "samples of every point")
        .real("sample_s", 0.002, 1e-5, 10.0, "s", "time of a sample to aim at")
        .preset("small", {{"maximum_bytes", 32768}, {"samples", 5}, {"sample_s", 0.0005}},
                "a second, up to 32 KiB")
        .phase("transfers", PhaseKind::communicate, "between ranks 0 and the last one")
        .phase("groups", PhaseKind::communicate, "barriers and reductions of the first ranks")
        .phase("waiting for a pair", PhaseKind::idle, "ranks that are not being measured")
        .metric("latency", "s", base::Better::lower,
                "half of a round trip of puts of 8 B with a flag, median of the samples")
        .metric("bandwidth", "B/s", base::Better::higher,
                "longest put over its time, median of the samples")
        .table("pairs", {{"level", "text"}, {"host_a", "text"}, {"host_b", "text"}},
               "level: core within a host, node between hosts")
        .table("transfers",
               {{"kind", "text"}, {"bytes", "1"}, {"repetition", "1"}, {"seconds", "s"}},
               "time of one transfer, mean over those of a sample; kinds are in the README")
        .table("overlap",
               {{"kind", "text"},
                {"bytes", "1"},
                {"repetition", "1"},
                {"alone_s", "s"},
                {"compute_s", "s"},
                {"together_s", "s"}},
               "a transfer alone, as much computing alone, and both at once")
        .table("accesses",
               {{"window", "text"},
                {"access", "text"},
                {"bytes", "1"},
                {"repetition", "1"},
                {"call_s", "s"},
                {"single_s", "s"},
                {"train_s", "s"},
                {"new_s", "s"},
                {"apart_s", "s"}},
               "MPI's one-sided operations: a call of a train of 16, one with its flush, a train "
               "with its flush, a call of a row to data that were just computed, a call of a train "
               "that begins when the one before has been done")
        .table("new_puts",
               {{"bytes", "1"}, {"repetition", "1"}, {"plain_s", "s"}, {"flagged_s", "s"}},
               "within a host, a put of a row to data that were just computed, without a flag and "
               "with one")
        .table("new_puts_in_items",
               {{"bytes", "1"}, {"item_bytes", "1"}, {"repetition", "1"}, {"seconds", "s"}},
               "within a host, such a put out of items with a gap as long after each, without a "
               "flag; mean over targets that only read what they get, and that compute in place")
        .table("epochs",
               {{"window", "text"}, {"epoch", "text"}, {"repetition", "1"}, {"seconds", "s"}},
               "an epoch of MPI with a put of 8 B by each rank; a flush alone; apart: each call "
               "begins when the one before has been done")
        .table("groups",
               {{"operation", "text"},
                {"ranks", "1"},
                {"bytes", "1"},
                {"repetition", "1"},
                {"seconds", "s"}},
               "time of one operation, mean over those of a sample")
        .limits(0, 1)
        .verifies({}, "transfers of every kind, and groups")
        .size_meaning("longest transfer in bytes");
    return d;
  }

  std::string refuse(const base::Parameters& parameters,
                     const base::Layout& layout) const override {
    if (layout.ranks < 2) return "it measures transfers between ranks, which takes at least two";
    const std::int64_t item = parameters.integer("item_bytes");
    if (parameters.integer("step_bytes") < item) return "step_bytes is shorter than item_bytes";
    if (parameters.integer("maximum_bytes") % 8 != 0) return "maximum_bytes is no multiple of 8";
    return "";
  }

  base::Work work(const base::Parameters& parameters, const base::Layout& layout) const override;
  void prepare(harness::Run& run) override;
  void repeat(harness::Run& run) override;
  void check(harness::Run&, base::Checks& checks) override {
    verify_transfers(parallel::Communicator::world(), false, checks);
  }
  void verify(harness::Run& run, base::Checks& checks) override {
    const auto world = parallel::Communicator::world();
    verify_transfers(world, run.damaged(), checks);
    verify_groups(world, run.damaged(), checks);
  }

 private:
  void measure_pair(harness::Run& run);
  void measure_overlap(harness::Run& run, Kind kind, std::int64_t bytes, int samples);
  void measure_new_puts(harness::Run& run, std::int64_t bytes, int samples);
  void measure_epochs(harness::Run& run);
  void measure_groups(harness::Run& run);
  void add_metrics(harness::Run& run) const;

  std::unique_ptr<Pair> pair_;  // on the ranks that are measured
  bool within_host_ = false;
  std::string level_, host_a_, host_b_;
};

// One iteration of every sample.
base::Work PutgetProbe::work(const base::Parameters& parameters, const base::Layout& layout) const {
  const auto samples = static_cast<double>(parameters.integer("samples"));
  base::PhaseWork transfers{"transfers"}, groups{"groups"};
  for (const std::int64_t bytes : sizes_of(parameters)) {
    const double kinds = static_cast<double>(all_kinds().size());
    transfers.messages += samples * kinds;
    transfers.message_bytes += samples * kinds * static_cast<double>(bytes);
    transfers.calls += samples * kinds;
  }
  groups.calls = samples * 3.0 * static_cast<double>(parallel::group_sizes(layout.ranks).size());
  const auto longest = static_cast<double>(parameters.integer("maximum_bytes"));
  const double spread = std::max(1.0, static_cast<double>(parameters.integer("step_bytes")) /
                                          static_cast<double>(parameters.integer("item_bytes")));
  return {longest, 6.0 * longest * spread, {transfers, groups}};
}

void PutgetProbe::prepare(harness::Run& run) {
  const auto world = parallel::Communicator::world();
  const int last = world.size() - 1;
  const bool measured = world.rank() == 0 || world.rank() == last;
  auto both = world.split(measured ? 0 : -1, world.rank());
  const auto hosts = parallel::host_names(world);
  if (world.rank() == 0) {
    host_a_ = hosts.front();
    host_b_ = hosts.back();
    level_ = host_a_ == host_b_ ? "core" : "node";
  }
  within_host_ = world.sum(static_cast<std::int64_t>(level_ == "core")) > 0;  // rank 0 knows
  const auto& parameters = run.parameters();
  if (measured)
    pair_ = std::make_unique<Pair>(
        std::move(both), Shape{parameters.integer("maximum_bytes"),
                               parameters.integer("item_bytes"), parameters.integer("step_bytes")});
}

void PutgetProbe::measure_pair(harness::Run& run) {
  const auto& parameters = run.parameters();
  const int samples = static_cast<int>(parameters.integer("samples"));
  std::vector<Point> points;
  for (const std::int64_t bytes : sizes_of(parameters))
    for (const Kind kind : all_kinds()) {
      if (is_strided(kind) && bytes < parameters.integer("item_bytes")) continue;
      points.push_back({[this, kind, bytes](int n) { return pair_->time(kind, bytes, n); },
                        [&run, kind, bytes](int repetition, double seconds) {
                          run.table("transfers").row({name_of(kind), bytes, repetition, seconds});
                        }});
    }
  sample_in_turns(pair_->both(), points, samples, parameters.real("sample_s"),
                  [&](double f) { run.progress(0.8 * f, "transfers"); });
  for (const std::int64_t bytes : sizes_of(parameters)) {
    for (const Kind kind : {Kind::put, Kind::get}) measure_overlap(run, kind, bytes, samples);
    if (within_host_) measure_new_puts(run, bytes, samples);
  }
}

void PutgetProbe::measure_new_puts(harness::Run& run, std::int64_t bytes, int samples) {
  constexpr int rows = 20;
  for (int repetition = 0; repetition < samples; ++repetition) {
    const NewPuts time = pair_->new_puts(bytes, rows);
    if (pair_->both().rank() == 0)
      run.table("new_puts").row({bytes, repetition, time.plain_s, time.flagged_s});
    for (const std::int64_t item : items_of(bytes)) {
      const double in_items_s = pair_->new_put_in_items_s(bytes, item, rows);
      if (pair_->both().rank() == 0)
        run.table("new_puts_in_items").row({bytes, item, repetition, in_items_s});
    }
  }
}

void PutgetProbe::measure_overlap(harness::Run& run, Kind kind, std::int64_t bytes, int samples) {
  constexpr int iterations = 10;
  pair_->overlap(kind, bytes, 1);
  for (int repetition = 0; repetition < samples; ++repetition) {
    const Overlap time = pair_->overlap(kind, bytes, iterations);
    if (pair_->both().rank() == 0)
      run.table("overlap").row(
          {name_of(kind), bytes, repetition, time.alone_s, time.compute_s, time.together_s});
  }
}

// Both kinds of windows take turns in every round.
void PutgetProbe::measure_epochs(harness::Run& run) {
  const auto& parameters = run.parameters();
  const std::int64_t longest = parameters.integer("maximum_bytes");
  Epochs allocated(pair_->both(), Memory::allocated, longest);
  Epochs created(pair_->both(), Memory::created, longest);
  std::vector<Point> points;
  for (const Memory memory : {Memory::allocated, Memory::created}) {
    Epochs& window = memory == Memory::allocated ? allocated : created;
    for (const Epoch epoch : all_epochs())
      for (const Spacing spacing : {Spacing::in_a_row, Spacing::apart, Spacing::late})
        if (is_timed(epoch, spacing))
          points.push_back(
              {[&window, epoch, spacing](int n) { return window.epoch(epoch, spacing, n); },
               [&run, memory, epoch, spacing](int repetition, double seconds) {
                 run.table("epochs").row(
                     {name_of(memory), name_of(epoch, spacing), repetition, seconds});
               }});
    for (const Access access : {Access::put, Access::get, Access::accumulate})
      for (const std::int64_t bytes : sizes_of(parameters)) {
        const auto found = std::make_shared<AccessTime>();
        points.push_back({[&window, access, bytes, found](int n) {
                            *found = window.access(access, bytes, n);
                            return found->single_s + found->train_s;
                          },
                          [&run, memory, access, bytes, found](int repetition, double) {
                            run.table("accesses")
                                .row({name_of(memory), name_of(access), bytes, repetition,
                                      found->call_s, found->single_s, found->train_s, found->new_s,
                                      found->apart_s});
                          }});
      }
  }
  sample_in_turns(pair_->both(), points, static_cast<int>(parameters.integer("samples")),
                  parameters.real("sample_s"), [](double) {});
}

Point group_point(harness::Run& run, const parallel::Communicator& group, std::int64_t bytes) {
  auto values = std::make_shared<std::vector<double>>(static_cast<std::size_t>(bytes / 8));
  return {[&group, values](int iterations) {
            group.barrier();
            return mean_s(iterations, [&] {
              if (values->empty())
                group.barrier();
              else
                group.sum(*values);
            });
          },
          [&run, &group, bytes](int repetition, double seconds) {
            run.table("groups").row(
                {bytes == 0 ? "barrier" : "allreduce", group.size(), bytes, repetition, seconds});
          }};
}

void PutgetProbe::measure_groups(harness::Run& run) {
  const auto world = parallel::Communicator::world();
  const auto& parameters = run.parameters();
  for (const int ranks : parallel::group_sizes(world.size())) {
    const auto group = world.split(world.rank() < ranks ? 0 : -1, world.rank());
    if (group.size() > 0) {
      auto phase = run.phases().scope("groups");
      std::vector<Point> points;
      for (const std::int64_t bytes :
           {std::int64_t{0}, shortest, parameters.integer("vector_bytes") / 8 * 8})
        points.push_back(group_point(run, group, bytes));
      sample_in_turns(group, points, static_cast<int>(parameters.integer("samples")),
                      parameters.real("sample_s"), [](double) {});
    }
    auto phase = run.phases().scope("waiting for a pair");
    parallel::quiet_barrier(world);
  }
}

void PutgetProbe::add_metrics(harness::Run& run) const {
  const std::int64_t longest = run.parameters().integer("maximum_bytes");
  std::vector<double> flagged_s, longest_s;
  for (const auto& row : run.table("transfers").to_json().at("rows")) {
    if (row[0] == "flagged_put" && row[1] == std::min(shortest, longest))
      flagged_s.push_back(row[3]);
    if (row[0] == "put" && row[1] == longest) longest_s.push_back(row[3]);
  }
  if (flagged_s.empty() || longest_s.empty()) return;
  run.metrics().add("latency", median(flagged_s));
  run.metrics().add("bandwidth", static_cast<double>(longest) / median(longest_s));
}

void PutgetProbe::repeat(harness::Run& run) {
  const auto world = parallel::Communicator::world();
  if (world.rank() == 0) run.table("pairs").row({level_, host_a_, host_b_});
  if (pair_) {
    auto phase = run.phases().scope("transfers");
    measure_pair(run);
    measure_epochs(run);
  }
  {
    auto phase = run.phases().scope("waiting for a pair");
    parallel::quiet_barrier(world);
  }
  measure_groups(run);
  add_metrics(run);
}

}  // namespace
}  // namespace hakaru::probes::putget

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::putget::PutgetProbe>();
}
