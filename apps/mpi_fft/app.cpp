// MPIFFT of the HPC Challenge: a one-dimensional complex transform over all ranks.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "apps/mpi_fft/reference.hpp"
#include "apps/mpi_fft/schedule.hpp"
#include "apps/mpi_fft/transform.hpp"
#include "native/base/clock.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::mpi_fft {
namespace {

using base::Better;
using base::PhaseKind;
using parallel::TransposeMethod;

Shape shape_of(const base::Parameters& parameters, int ranks) {
  return {parameters.integer("n1"), parameters.integer("n2"), ranks};
}

TransposeMethod method_of(const base::Parameters& parameters) {
  return parameters.text("transposition") == "put" ? TransposeMethod::put
                                                   : TransposeMethod::alltoall;
}

class MpiFft final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("mpi_fft",
                        "HPC Challenge MPIFFT: a one-dimensional complex transform over all ranks");
    d.integer("n1", 1024, 1, 1 << 20, "1", "first factor of the length n1 n2; ranks divide it")
        .integer("n2", 1024, 1, 1 << 20, "1", "second factor; ranks divide it")
        .choice("transposition", "alltoall", {"alltoall", "put"},
                "MPI_Alltoall, or MPI_Put between fences")
        .preset("small", {{"n1", 96}, {"n2", 144}}, "milliseconds")
        .phase(phase::rearrange, PhaseKind::compute, "packing blocks by rank, transposed, and back")
        .phase(phase::transposition, PhaseKind::communicate, "blocks from all ranks to all")
        .phase(phase::transform, PhaseKind::compute, "transforms of rows")
        .phase(phase::twiddle, PhaseKind::compute, "factors between the two transforms")
        .metric("rate", "flop/s", Better::higher, "5 N log2 N over the time")
        .size_meaning("length of the vector");
    return d;
  }

  base::Work work(const base::Parameters& parameters, const base::Layout& layout) const override {
    return work_of(shape_of(parameters, layout.ranks));
  }
  std::string refuse(const base::Parameters& parameters,
                     const base::Layout& layout) const override {
    const Shape shape = shape_of(parameters, layout.ranks);
    if (shape.length() < 2) return "a transform has two numbers or more";
    return shape.n1 % shape.ranks + shape.n2 % shape.ranks > 0 ? "ranks must divide n1 and n2" : "";
  }
  harness::RankSchedule schedule(const base::Parameters& parameters,
                                 const base::Layout& layout) const override {
    return rank_schedule(shape_of(parameters, layout.ranks), method_of(parameters));
  }

  void prepare(harness::Run& run) override {
    const Shape shape = shape_of(run.parameters(), run.layout().ranks);
    world_.emplace(parallel::Communicator::world());
    transform_.emplace(shape, *world_, method_of(run.parameters()), Planning::timed);
    input_ = own_input(shape, run.rank());
    output_.assign(input_.size(), Complex{});
  }

  void repeat(harness::Run& run) override {
    const double begin = base::now_s();
    (*transform_)(Direction::forward, input_.data(), output_.data(), run.phases());
    const Shape shape = shape_of(run.parameters(), run.layout().ranks);
    run.metrics().add("rate", shape.flops() / std::max(base::now_s() - begin, 1e-12));
  }

  void check(harness::Run& run, base::Checks& checks) override {
    check_result(run, shape_of(run.parameters(), run.layout().ranks), "", checks);
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    world_.emplace(parallel::Communicator::world());
    const int ranks = run.layout().ranks;
    const std::int64_t any = 7 * ranks;
    for (const auto method : {TransposeMethod::alltoall, TransposeMethod::put})
      for (const auto& [n1, n2] :
           {std::pair<std::int64_t, std::int64_t>{96, 144}, {any, 5 * ranks}}) {
        const Shape shape{n1, n2, ranks};
        if (n1 % ranks + n2 % ranks > 0) continue;
        transform_.emplace(shape, *world_, method, Planning::equal);
        input_ = own_input(shape, run.rank());
        output_.assign(input_.size(), Complex{});
        (*transform_)(Direction::forward, input_.data(), output_.data(), run.phases());
        if (run.damaged() && run.rank() == 0) output_.front() += 1e-6;
        const std::string how = fmt::format(", {} x {}, {}", n1, n2,
                                            method == TransposeMethod::put ? "put" : "alltoall");
        check_result(run, shape, how, checks);
        check_direct(shape, how, checks);
      }
  }

 private:
  void check_result(harness::Run& run, const Shape& shape, const std::string& how,
                    base::Checks& checks) {
    std::vector<Complex> back(input_.size());
    (*transform_)(Direction::inverse, output_.data(), back.data(), run.phases());
    checks.at_most("residual of there and back" + how, residual(shape, *world_, back), 16.0,
                   "the benchmark's limit: max |x - x'| / (epsilon log2 N)");
    const double before = energy(*world_, input_.data(), shape.own());
    const double after = energy(*world_, output_.data(), shape.own());
    checks.relative("energy of the transform" + how, after / static_cast<double>(shape.length()),
                    before, 1e-13, "Parseval: sum |X|^2 = N sum |x|^2; rounding of each number");
  }

  // A sum of N terms of random sign is of order sqrt(N).
  void check_direct(const Shape& shape, const std::string& how, base::Checks& checks) const {
    double worst = 0.0;
    const std::int64_t n = shape.length();
    for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, n / 3, n / 2 + 1, n - 1}) {
      const Complex expected = direct(shape, *world_, k);
      if (k / shape.own() != world_->rank()) continue;
      const double distance =
          std::abs(output_[static_cast<std::size_t>(k % shape.own())] - expected);
      if (!(distance <= worst)) worst = distance;  // a NaN stays
    }
    const bool finite = world_->all(std::isfinite(worst));
    worst = finite ? world_->maximum(worst) : std::numeric_limits<double>::quiet_NaN();
    const double unit = std::numeric_limits<double>::epsilon() * shape.log2_length() *
                        std::sqrt(static_cast<double>(n));
    checks.at_most("distance from direct sums" + how, worst / unit, 4.0,
                   "of five numbers, in units of epsilon log2 N sqrt(N)");
  }

  std::optional<parallel::Communicator> world_;
  std::optional<Transform> transform_;
  std::vector<Complex> input_, output_;
};

}  // namespace
}  // namespace hakaru::apps::mpi_fft

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::mpi_fft::MpiFft>();
}
