#include "probes/threads/description.hpp"

namespace hakaru::probes::threads {

base::Description description() {
  base::Description d("threads", "overheads of OpenMP constructs, by the EPCC definitions");
  d.integer("most_threads", 0, 0, 4096, "1",
            "measure 1 to this many threads; 0: one for each core that may be used")
      .integer("outer_repetitions", 20, 1, 1'000'000, "1", "samples of each construct")
      .real("test_seconds", 1e-3, 1e-6, 10.0, "s", "least duration of a sample")
      .real("delay_seconds", 1e-7, 0.0, 1.0, "s", "unit of work inside each construct")
      .real("idle_seconds", 1e-2, 0.0, 10.0, "s",
            "longest serial work before a fork; also a hundredth of it and none")
      .choice("bind", "cores", {"cores", "none"},
              "pin each thread to a core of its own, or leave it to the system")
      .preset("small", {{"outer_repetitions", 7}, {"test_seconds", 2e-4}, {"idle_seconds", 5e-3}},
              "well under a second")
      .phase("constructs", base::PhaseKind::compute, "EPCC constructs and their reference")
      .phase("starting", base::PhaseKind::compute, "forks, creation of threads, equal work")
      .metric("parallel", "s", base::Better::lower,
              "lowest overhead of a parallel region with all threads")
      .metric("barrier", "s", base::Better::lower, "lowest overhead of a barrier of all threads")
      .table("overheads",
             {{"construct", "text"},
              {"threads", "1"},
              {"repetition", "1"},
              {"inner_repetitions", "1"},
              {"seconds", "s"},
              {"reference", "s"},
              {"overhead", "s"}},
             "seconds of all inner repetitions; reference: one unit of work on one thread in the "
             "same repetition; overhead: seconds / inner_repetitions - reference")
      .table("forks",
             {{"threads", "1"}, {"repetition", "1"}, {"idle", "s"}, {"fork", "s"}, {"join", "s"}},
             "fork: from before a region until its last thread has begun; join: from then to its "
             "end; idle: serial work before")
      .table("creation", {{"threads", "1"}, {"repetition", "1"}, {"seconds", "s"}},
             "fork of a region whose threads had to be created")
      .table("equal_work",
             {{"threads", "1"}, {"repetition", "1"}, {"thread", "1"}, {"seconds", "s"}},
             "time of each thread for the same work")
      .table("binding", {{"threads", "1"}, {"thread", "1"}, {"processor", "1"}, {"seen", "1"}},
             "processor a thread was pinned to (-1: none) and seen on")
      .table("settings", {{"name", "text"}, {"value", "text"}},
             "what decides how waiting threads behave")
      .limits(1, 0)
      .verifies({"delay_seconds"}, "every construct on the threads that are asked for")
      .size_meaning("threads");
  return d;
}

}  // namespace hakaru::probes::threads
