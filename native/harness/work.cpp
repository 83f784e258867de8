#include "native/harness/work.hpp"

#include "native/schedule/counting_writer.hpp"

namespace hakaru::harness {

base::Work work_of(const Program& program, const base::Description& description,
                   const base::Parameters& parameters, const base::Layout& layout) {
  base::Work work = program.work(parameters, layout);
  if (const RankSchedule leaf = program.schedule(parameters, layout))
    work.phases = schedule::count_work(phases_of(description), layout.ranks, leaf);
  for (base::PhaseWork& one : work.phases)
    for (const base::PhaseDescription& phase : description.phases())
      if (phase.by_index && phase.name == one.phase) {
        one.indexed_bytes = one.bytes;
        one.gathered_bytes = work.gathered_bytes;
      }
  return work;
}

std::vector<schedule::Phase> phases_of(const base::Description& description) {
  std::vector<schedule::Phase> phases;
  for (const auto& phase : description.phases())
    phases.push_back({phase.name, base::name_of(phase.kind)});
  return phases;
}

}  // namespace hakaru::harness
