#include "probes/binding/description.hpp"

namespace hakaru::probes::binding {

base::Description description() {
  base::Description d("binding", "what binding ranks to processors is worth, by policy");
  d.integer("array_bytes", 1 << 26, 4096, std::int64_t{1} << 40, "B",
            "each of the triad's three arrays, of a rank; beyond the caches")
      .integer("passes", 3, 1, 1'000'000, "1", "triads in one sample")
      .integer("message_bytes", 1 << 16, 1, 1 << 28, "B", "from each rank to each in an all-to-all")
      .integer("calls", 1000, 1, 1'000'000'000, "1", "all-to-alls in one sample")
      .integer("samples", 11, 1, 1'000'000, "1", "of each program under each policy, interleaved")
      .preset("small",
              {{"array_bytes", 1 << 18},
               {"passes", 2},
               {"message_bytes", 1024},
               {"calls", 5},
               {"samples", 3}},
              "well under a second")
      .phase("triad", base::PhaseKind::compute, "a = b + s c on all ranks")
      .phase("alltoall", base::PhaseKind::communicate, "blocks from all to all")
      .metric("triad", "B/s", base::Better::higher,
              "highest rate of all ranks under any policy, no write-allocate")
      .metric("alltoall", "s", base::Better::lower, "least time of one under any policy")
      .table("times",
             {{"policy", "text"},
              {"program", "text"},
              {"repetition", "1"},
              {"seconds", "s"},
              {"bytes", "B"}},
             "one pass or call on the slowest rank; bytes that all ranks together move in it")
      .table("bindings",
             {{"policy", "text"},
              {"rank", "1"},
              {"host", "text"},
              {"wanted", "text"},
              {"bound", "text"},
              {"seen", "1"}},
             "processors that the policy wants, that the kernel says, and where the rank last ran")
      .limits(0, 1)
      .verifies({}, "what each policy binds, with short programs")
      .size_meaning("bytes of an array");
  return d;
}

}  // namespace hakaru::probes::binding
