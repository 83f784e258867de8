// MPIFFT of the HPC Challenge: a one-dimensional complex transform over all ranks.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "apps/mpi_fft/reference.hpp"
#include "apps/mpi_fft/schedule.hpp"
#include "apps/mpi_fft/transform.hpp"
#include "native/base/clock.hpp"
#include "native/base/require.hpp"
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
        .integer("transforms", 1, 1, 1'000'000'000, "1", "transforms of a repetition")
        .preset("small", {{"n1", 96}, {"n2", 144}}, "milliseconds")
        .preset("long", {{"n1", 1024}, {"n2", 1024}}, "ten minutes on one core", 10'000)
        .phase(phase::rearrange, PhaseKind::compute, "packing blocks by rank, transposed, and back")
        .phase(phase::transposition, PhaseKind::communicate, "blocks from all ranks to all")
        .phase(phase::transform, PhaseKind::compute, "transforms of rows")
        .phase(phase::twiddle, PhaseKind::compute, "factors between the two transforms")
        .metric("rate", "flop/s", Better::higher, "5 N log2 N over the time")
        .verifies({"n1", "n2", "transposition"},
                  "the length that is asked for, and short ones, by both transpositions")
        .size_meaning("length of the vector");
    return d;
  }

  base::Work work(const base::Parameters& parameters, const base::Layout& layout) const override {
    return size_of(shape_of(parameters, layout.ranks));
  }
  std::string refuse(const base::Parameters& parameters,
                     const base::Layout& layout) const override {
    const Shape shape = shape_of(parameters, layout.ranks);
    if (shape.length() < 2) return "a transform has two numbers or more";
    return shape.n1 % shape.ranks + shape.n2 % shape.ranks > 0 ? "ranks must divide n1 and n2" : "";
  }
  harness::RankSchedule schedule(const base::Parameters& parameters,
                                 const base::Layout& layout) const override {
    return rank_schedule(shape_of(parameters, layout.ranks), method_of(parameters),
                         parameters.integer("transforms"));
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
    const std::int64_t transforms = run.parameters().integer("transforms");
    for (std::int64_t i = 0; i < transforms; ++i)
      (*transform_)(Direction::forward, input_.data(), output_.data(), run.phases());
    const Shape shape = shape_of(run.parameters(), run.layout().ranks);
    run.metrics().add("rate", static_cast<double>(transforms) * shape.flops() /
                                  std::max(base::now_s() - begin, 1e-12));
  }

  void check(harness::Run& run, base::Checks& checks) override {
    check_result(run, shape_of(run.parameters(), run.layout().ranks), "", checks);
  }

  // The length that is asked for, if it can be dealt out, and two others.
  void verify(harness::Run& run, base::Checks& checks) override {
    world_.emplace(parallel::Communicator::world());
    const int ranks = run.layout().ranks;
    const auto& p = run.parameters();
    std::vector<std::pair<std::int64_t, std::int64_t>> lengths{{96, 144}, {7 * ranks, 5 * ranks}};
    if (p.assigned("n1") || p.assigned("n2")) {
      const std::string refusal = refuse(p, run.layout());
      base::require(refusal.empty(), "mpi_fft cannot verify this length", refusal,
                    "change n1 and n2 or the number of ranks");
      lengths = {{p.integer("n1"), p.integer("n2")}, {7 * ranks, 5 * ranks}};
    }
    for (const auto method : {TransposeMethod::alltoall, TransposeMethod::put})
      for (const auto& [n1, n2] : lengths) {
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
      }
  }

 private:
  void check_result(harness::Run& run, const Shape& shape, const std::string& how,
                    base::Checks& checks) {
    std::vector<Complex> back(input_.size());
    (*transform_)(Direction::inverse, output_.data(), back.data(), run.phases());
    check_transform(shape, *world_, output_, back, how, checks);
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
