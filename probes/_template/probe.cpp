// What reading the clock costs: the smallest complete probe. Copy this folder to start a new one.
#include "native/base/clock.hpp"
#include "native/harness/program.hpp"

namespace hakaru::probes::template_probe {
namespace {

class TemplateProbe final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("template_probe", "cost of reading the clock");
    d.integer("reads", 10'000, 100, 1'000'000'000, "1", "clock readings of a batch")
        .integer("batches", 11, 1, 1'000'000, "1", "batches, each one sample")
        .preset("small", {{"reads", 1000}, {"batches", 5}}, "milliseconds")
        .phase("read", base::PhaseKind::compute, "clock readings")
        .table("cost", {{"batch", "1"}, {"seconds", "s"}}, "mean cost of a reading in each batch")
        .limits(1, 1)
        .verifies({"reads"}, "one batch")
        .size_meaning("clock readings");
    return d;
  }

  base::Work work(const base::Parameters& parameters, const base::Layout&) const override {
    const double reads =
        static_cast<double>(parameters.integer("reads") * parameters.integer("batches"));
    return {reads, 0.0, {{"read", 0, 0, 0, 0, 0, reads}}};
  }

  void repeat(harness::Run& run) override {
    auto phase = run.phases().scope("read");
    const std::int64_t batches = run.parameters().integer("batches");
    for (std::int64_t batch = 0; batch < batches; ++batch) {
      cost_s_ = measure(run.parameters().integer("reads"));
      run.table("cost").row({batch, cost_s_});
    }
  }

  void check(harness::Run&, base::Checks& checks) override { check_cost(checks); }

  void verify(harness::Run& run, base::Checks& checks) override {
    cost_s_ = measure(run.parameters().integer("reads"));
    if (run.damaged()) cost_s_ = -cost_s_;
    check_cost(checks);
  }

 private:
  double measure(std::int64_t reads) {
    const double start = base::now_s();
    double last = start;
    for (std::int64_t i = 0; i < reads; ++i) {
      const double now = base::now_s();
      if (now < last) monotonic_ = false;
      last = now;
    }
    return (last - start) / static_cast<double>(reads);
  }

  void check_cost(base::Checks& checks) const {
    checks.at_least("cost of a reading", cost_s_, 0.0, "time does not run backwards");
    checks.equal("clock is monotonic", monotonic_, 1.0, "each reading is at least the one before");
  }

  double cost_s_ = 0.0;
  bool monotonic_ = true;
};

}  // namespace
}  // namespace hakaru::probes::template_probe

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::template_probe::TemplateProbe>();
}
