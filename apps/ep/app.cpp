// EP of the NAS parallel benchmarks: pairs of Gaussian deviates, no communication.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "apps/ep/deviates.hpp"
#include "apps/ep/problem.hpp"
#include "native/base/clock.hpp"
#include "native/harness/program.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::ep {
namespace {

using base::Better;
using base::PhaseKind;

constexpr const char* generate_phase = "generate";

int bits_of(const base::Parameters& parameters) {
  const std::string& name = parameters.text("class");
  return name == "custom" ? static_cast<int>(parameters.integer("m")) : bits_of_class(name);
}

// The benchmark counts one operation a random number.
double operations(double batches) { return 2.0 * static_cast<double>(batch_pairs) * batches; }

double batches_of(int bits) { return std::ldexp(1.0, bits - batch_bits); }

// One rank's batches, shared by its threads.
Tally generate(const base::Share& share) {
  std::vector<Tally> of_thread(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
  {
    Tally own;
#pragma omp for schedule(static)
    for (std::int64_t batch = share.first; batch < share.first + share.count; ++batch)
      tally_batch(batch, own);
    of_thread[static_cast<std::size_t>(omp_get_thread_num())] = own;
  }
  Tally total;
  for (const Tally& part : of_thread) total.add(part);
  return total;
}

class Ep final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("ep", "NAS benchmark EP: pairs of Gaussian deviates, no communication");
    d.choice("class", "A", {"S", "W", "A", "B", "C", "D", "custom"},
             "pairs: S 2^24, W 2^25, A 2^28, B 2^30, C 2^32, D 2^36, custom 2^m")
        .integer("m", 20, batch_bits, 43, "1", "log2 of the number of pairs, for class=custom")
        .preset("small", {{"class", "S"}}, "a fraction of a second")
        .preset("paper", {{"class", "A"}}, "the case of the AP1000+ paper: 2^28 pairs")
        .preset("long", {{"class", "C"}}, "ten minutes on one core: 2^32 pairs", 15)
        .phase(generate_phase, PhaseKind::compute, "random numbers, acceptance, deviates, bins")
        .metric("rate", "1/s", Better::higher,
                "random numbers per second: the benchmark's Mop/s times 10^6")
        .verifies({"class", "m"}, "the class that is asked for")
        .size_meaning("number of pairs");
    return d;
  }

  base::Work work(const base::Parameters& parameters, const base::Layout& layout) const override {
    const double batches = batches_of(bits_of(parameters));
    return {batches * static_cast<double>(batch_pairs),
            static_cast<double>(layout.ranks * layout.threads) * 2.0 * 8.0 * 1024.0,
            {}};
  }

  harness::RankSchedule schedule(const base::Parameters& parameters,
                                 const base::Layout& layout) const override {
    const int bits = bits_of(parameters), ranks = layout.ranks;
    return [=](schedule::RankWriter& writer) {
      const base::Share share = batches_of_rank(bits, writer.rank(), ranks);
      writer.phase(generate_phase, [&] {
        writer.compute({operations(static_cast<double>(share.count)), 0, 0});
      });
    };
  }

  void repeat(harness::Run& run) override {
    const int bits = bits_of(run.parameters());
    const double begin = base::now_s();
    generate_share(run, bits);
    run.metrics().add("rate",
                      operations(batches_of(bits)) / std::max(base::now_s() - begin, 1e-12));
  }

  void check(harness::Run& run, base::Checks& checks) override {
    check_totals(bits_of(run.parameters()), checks);
    check_batch(run, bits_of(run.parameters()), checks);
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    const int bits = bits_of(run.parameters());
    generate_share(run, bits);
    if (run.damaged()) {
      tally_.x.add(1e-6 * tally_.x.value());
      --tally_.counts[0];
    }
    check_totals(bits, checks);
    check_batch(run, bits, checks);
  }

 private:
  void generate_share(harness::Run& run, int bits) {
    auto phase = run.phases().scope(generate_phase);
    tally_ = generate(batches_of_rank(bits, run.rank(), run.layout().ranks));
  }

  // The sums over ranks, which the benchmark times and the AP1000+ paper's Table 5 does not have.
  void check_totals(int bits, base::Checks& checks) const {
    const auto world = parallel::Communicator::world();
    const auto sums = parallel::exact_sums(world, std::array{tally_.x, tally_.y});
    std::vector<std::int64_t> counts(tally_.counts.begin(), tally_.counts.end());
    world.sum(counts);
    const auto known = published(bits);
    if (!known) return;
    checks.relative("sum of X", sums[0], known->x, 1e-8, "the benchmark's tolerance");
    checks.relative("sum of Y", sums[1], known->y, 1e-8, "the benchmark's tolerance");
    for (std::size_t bin = 0; bin < known->counts.size(); ++bin)
      checks.equal("count of bin " + std::to_string(bin), static_cast<double>(counts[bin]),
                   static_cast<double>(known->counts[bin]), "published");
  }

  // The last batch of each rank against a plain scalar loop.
  void check_batch(harness::Run& run, int bits, base::Checks& checks) const {
    const auto world = parallel::Communicator::world();
    const base::Share share = batches_of_rank(bits, run.rank(), run.layout().ranks);
    double distance = 0.0;
    std::int64_t counted = 0;
    if (share.count > 0) {
      Tally vectors, plain;
      tally_batch(share.first + share.count - 1, vectors);
      tally_batch_plainly(share.first + share.count - 1, plain);
      if (run.damaged()) --vectors.counts[0];
      distance = std::max(std::abs(vectors.x.value() - plain.x.value()),
                          std::abs(vectors.y.value() - plain.y.value()));
      for (int bin = 0; bin < bins; ++bin)
        counted += std::abs(vectors.counts[bin] - plain.counts[bin]);
    }
    checks.at_most("sums of a batch from the plain loop's", world.maximum(distance), 1e-9,
                   "51,000 deviates of order one, some units in the last place each");
    checks.equal("counts of a batch from the plain loop's", static_cast<double>(world.sum(counted)),
                 0.0, "a deviate as near to a bin's border as rounding is one in 10^14");
  }

  Tally tally_;
};

}  // namespace
}  // namespace hakaru::apps::ep

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::ep::Ep>();
}
