// C = A B with rows in blocks over the ranks; blocks of B come by GET, one ahead of their use.
#include <algorithm>
#include <optional>
#include <vector>

#include "apps/matmul/phases.hpp"
#include "apps/matmul/product.hpp"
#include "native/base/clock.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::matmul {
namespace {

using base::Better;
using base::PhaseKind;

// Order up to which the plain product in integers takes seconds.
constexpr std::int64_t largest_reference = 2000;

// Operations and bytes of adding the product with `inner` rows of B: each matrix moves once, C both
// ways; a BLAS that blocks for the caches comes near that.
schedule::Work work_of(const Rows& rows, std::int64_t inner) {
  const double own = static_cast<double>(rows.own()), n = static_cast<double>(rows.n),
               k = static_cast<double>(inner);
  const double bytes = inner > 0 ? 8.0 * (own * k + k * n + 2.0 * own * n) : 0.0;
  return {2.0 * own * n * k, bytes, bytes};
}

schedule::Work clearing(const Rows& rows) {
  const double bytes = 8.0 * static_cast<double>(rows.own()) * static_cast<double>(rows.n);
  return {0.0, bytes, 2.0 * bytes};
}

schedule::Work sum(const schedule::Work& a, const schedule::Work& b) {
  return {a.flops + b.flops, a.bytes + b.bytes, a.bytes_write_allocate + b.bytes_write_allocate};
}

class MatMul final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("matmul", "matrix product by GET with prefetch");
    d.integer("n", 1024, 1, 40'000, "1", "order of the matrices")
        .preset("small", {{"n", 151}}, "milliseconds")
        .preset("paper", {{"n", 300}}, "the case of the AP1000+ paper")
        .preset("large", {{"n", 4096}}, "seconds")
        .preset("long", {{"n", 1024}}, "ten minutes on one core", 10'000)
        .phase(phase::get, PhaseKind::communicate,
               "asks for the next block of B, waits for this one")
        .phase(phase::product, PhaseKind::compute, "C += A B for one block of B")
        .metric("rate", "flop/s", Better::higher, "2 n^3 operations over the time")
        .verifies({"n"}, "the order that is asked for, and orders from 1 to 151")
        .size_meaning("order of the matrices");
    return d;
  }

  base::Work work(const base::Parameters& parameters, const base::Layout& layout) const override {
    const Rows rows(parameters.integer("n"), 0, layout.ranks);
    const double n = static_cast<double>(rows.n), ranks = layout.ranks;
    const double block_bytes = 8.0 * static_cast<double>(rows.block_words());
    return {n, 8.0 * 3.0 * n * n + ranks * (buffers * block_bytes + 8.0 * n * rows.left_over), {}};
  }

  harness::RankSchedule schedule(const base::Parameters& parameters,
                                 const base::Layout& layout) const override {
    const std::int64_t n = parameters.integer("n");
    const int ranks = layout.ranks;
    return [=](schedule::RankWriter& writer) {
      const Rows rows(n, writer.rank(), ranks);
      const int steps = rows.block > 0 ? ranks : 0;
      const auto get = [&](int step) {
        writer.get(source_of(rows.rank, step, ranks),
                   static_cast<std::uint64_t>(8 * rows.block_words()), {0, 1 + step % buffers, 0});
      };
      if (steps > 0) writer.phase(phase::get, [&] { get(0); });
      writer.phase(phase::product,
                   [&] { writer.compute(sum(clearing(rows), work_of(rows, rows.left_over))); });
      const auto multiply = [&](int step, bool ahead) {
        writer.phase(phase::get, [&] {
          if (ahead) get(step + 1);
          writer.flag_wait(1 + step % buffers);
        });
        writer.phase(phase::product, [&] { writer.compute(work_of(rows, rows.block)); });
      };
      if (steps == 0) return;
      writer.each(static_cast<std::uint64_t>(steps - 1),
                  [&](std::uint64_t step) { multiply(static_cast<int>(step), true); });
      multiply(steps - 1, false);
    };
  }

  void prepare(harness::Run& run) override { product_.emplace(run.parameters().integer("n")); }

  void repeat(harness::Run& run) override {
    const double n = static_cast<double>(run.parameters().integer("n"));
    const double begin = base::now_s();
    product_->compute(run.phases());
    run.metrics().add("rate", 2.0 * n * n * n / std::max(base::now_s() - begin, 1e-12));
  }

  void check(harness::Run&, base::Checks& checks) override { check_rows("", checks); }

  void verify(harness::Run& run, base::Checks& checks) override {
    // As many rows as ranks and one more; fewer rows than ranks; rows left over; none.
    const std::int64_t ranks = run.layout().ranks;
    std::vector<std::int64_t> orders{1, ranks + 1, 12 * ranks, 151};
    if (run.parameters().assigned("n")) orders.push_back(run.parameters().integer("n"));
    for (const std::int64_t n : orders) {
      product_.emplace(n);
      product_->compute(run.phases());
      if (run.damaged()) product_->damage();
      const std::string label = ", order " + std::to_string(n);
      if (n <= largest_reference)
        checks.equal("elements that differ from the sum in integers" + label,
                     static_cast<double>(product_->wrong_elements()), 0.0,
                     "small integers: every sum is exact in any order");
      check_rows(label, checks);
    }
  }

 private:
  void check_rows(const std::string& label, base::Checks& checks) const {
    checks.equal("rows with C v different from A (B v)" + label,
                 static_cast<double>(product_->wrong_rows()), 0.0,
                 "small integers: every sum is exact in any order");
  }

  std::optional<Product> product_;
};

}  // namespace
}  // namespace hakaru::apps::matmul

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::matmul::MatMul>();
}
