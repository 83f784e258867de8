#include "apps/mpi_fft/schedule.hpp"

namespace hakaru::apps::mpi_fft {

namespace {

using schedule::RankWriter;

// Each pass over the rank's numbers loads and stores them once; where they are stored elsewhere,
// the lines written are read first.
schedule::Work pass(const Shape& shape, double flops, bool elsewhere) {
  const double bytes = 16.0 * static_cast<double>(shape.own());
  return {flops, 2.0 * bytes, (elsewhere ? 3.0 : 2.0) * bytes};
}

double line_flops(std::int64_t rows, std::int64_t length) {
  return 5.0 * static_cast<double>(rows * length) * std::log2(static_cast<double>(length));
}

class ScheduleRunner {
 public:
  ScheduleRunner(const Shape& shape, parallel::TransposeMethod method, RankWriter& writer)
      : shape_(shape), method_(method), writer_(writer) {}

  void pack(std::int64_t, std::int64_t) { compute(phase::rearrange, 0.0, true); }
  void unpack(std::int64_t, std::int64_t) { compute(phase::rearrange, 0.0, true); }
  void transform(std::int64_t rows, std::int64_t length) {
    compute(phase::transform, line_flops(rows, length), false);
  }
  // The benchmark's count of operations leaves the factors away.
  void twiddle() { compute(phase::twiddle, 0.0, false); }
  void exchange() {
    if (shape_.ranks == 1) return;
    const auto bytes = static_cast<std::uint64_t>(shape_.block()) * 16;
    writer_.phase(phase::transposition, [&] {
      if (method_ == parallel::TransposeMethod::alltoall)
        return writer_.collective(schedule::Collective::alltoall, bytes);
      writer_.fence();
      writer_.each(static_cast<std::uint64_t>(shape_.ranks - 1), [&](std::uint64_t step) {
        writer_.put((writer_.rank() + 1 + static_cast<int>(step)) % shape_.ranks, bytes);
      });
      writer_.fence();
    });
  }

 private:
  void compute(const char* name, double flops, bool elsewhere) {
    writer_.phase(name, [&] { writer_.compute(pass(shape_, flops, elsewhere)); });
  }

  const Shape& shape_;
  parallel::TransposeMethod method_;
  RankWriter& writer_;
};

}  // namespace

base::Work size_of(const Shape& shape) {
  const double n = static_cast<double>(shape.length());
  return {n, 5.0 * 16.0 * n, {}};
}

harness::RankSchedule rank_schedule(const Shape& shape, parallel::TransposeMethod method,
                                    std::int64_t transforms) {
  return [=](RankWriter& writer) {
    ScheduleRunner runner(shape, method, writer);
    writer.repeat(static_cast<std::uint64_t>(transforms), [&] { transform_steps(shape, runner); });
  };
}

}  // namespace hakaru::apps::mpi_fft
