#include "apps/turbulence/schedule.hpp"

#include "apps/turbulence/canonical.hpp"
#include "apps/turbulence/checkpoint.hpp"
#include "apps/turbulence/phases.hpp"

namespace hakaru::apps::turbulence {
namespace {

using parallel::TransposeMethod;
using schedule::Collective;
using schedule::Kind;
using schedule::RankWriter;

class StepWriter {
 public:
  StepWriter(const Scale& scale, TransposeMethod method, const Extent& extent, RankWriter& writer)
      : scale_(scale), method_(method), extent_(extent), writer_(writer) {}

  void repetition() {
    reduce();
    writer_.repeat(static_cast<std::uint64_t>(scale_.steps), [&] {
      for (const Stage which : {Stage::first, Stage::second, Stage::third, Stage::fourth})
        stage(which);
    });
    if (scale_.checkpoint) writer_.phase(phase::io, [&] { checkpoint(); });
    // Largest times of a step and of the two baselines.
    writer_.repeat(3, [&] { writer_.collective(Collective::allreduce, sizeof(double)); });
  }

 private:
  void stage(Stage which) {
    for (const bool shifted : {false, true}) {
      pass(phase::fft, lines_work(extent_, shifted));
      transpose(fields);
      pass(phase::fft, planes_work(extent_));
      transpose(results);
    }
    pass(phase::pointwise, stage_work(extent_, which));
    if (scale_.forced || which == Stage::fourth) reduce();
  }

  // One pass over blocks or planes, which tracers know by `outer`; its parts alternate by block,
  // here they follow each other.
  void pass(const char* outer, const PartWork& work) {
    writer_.phase(outer, [&] {
      part(outer, phase::fft, work.fft);
      part(outer, phase::pointwise, work.pointwise);
      part(outer, phase::pack, work.pack);
    });
  }

  void part(const std::string& outer, const std::string& phase, const schedule::Work& work) {
    if (phase == outer)
      writer_.compute(work);
    else
      writer_.phase(phase, [&] { writer_.compute(work); });
  }

  void transpose(int slots) {
    if (scale_.ranks == 1) return;
    const auto bytes = static_cast<std::uint64_t>(block_bytes(scale_.n, scale_.ranks));
    const auto count = static_cast<std::uint64_t>(slots);
    writer_.phase(phase::transpose, [&] {
      if (method_ == TransposeMethod::alltoall)
        return writer_.repeat(count, [&] { writer_.collective(Collective::alltoall, bytes); });
      writer_.fence();
      writer_.repeat(count, [&] {
        writer_.each(static_cast<std::uint64_t>(scale_.ranks - 1), [&](std::uint64_t step) {
          writer_.put((writer_.rank() + 1 + static_cast<int>(step)) % scale_.ranks, bytes);
        });
      });
      writer_.fence();
    });
  }

  void reduce() {
    writer_.phase(phase::reduce, [&] {
      writer_.collective(Collective::allreduce, static_cast<std::uint64_t>(reduce_bytes(scale_.n)));
    });
  }

  // As write_checkpoint does.
  void checkpoint() {
    const auto planes = static_cast<std::uint64_t>(scale_.n / 2);
    writer_.collective(Collective::allreduce, planes * sizeof(std::uint64_t));
    writer_.whole_file([&] {
      for (int kz = writer_.rank(); kz < scale_.n / 2; kz += scale_.ranks)
        if (const std::int64_t modes = plane_modes(scale_.n, kz); modes > 0)
          writer_.file_part(Kind::file_write,
                            static_cast<std::uint64_t>(3 * modes) * sizeof(Complex));
      if (writer_.rank() == 0) writer_.file_part(Kind::file_write, checkpoint_header_bytes);
    });
  }

  const Scale& scale_;
  TransposeMethod method_;
  const Extent& extent_;
  RankWriter& writer_;
};

}  // namespace

harness::RankSchedule rank_schedule(const Scale& scale, TransposeMethod method) {
  return [scale, method, whole = whole_extent(scale.n)](RankWriter& writer) {
    const Extent extent = extent_of(whole, writer.rank(), scale.ranks);
    StepWriter(scale, method, extent, writer).repetition();
  };
}

}  // namespace hakaru::apps::turbulence
