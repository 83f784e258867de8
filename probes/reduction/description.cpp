#include "probes/reduction/description.hpp"

namespace hakaru::probes::reduction {

base::Description description() {
  base::Description d("reduction", "errors and costs of sums, exact ones among them");
  d.integer("most_operands", 1 << 20, 2048, 1 << 26, "1",
            "errors are found for 2048 operands, eight times as many, ... up to this")
      .integer("trials", 11, 1, 100'000, "1", "sets of random operands for each number of them")
      .integer("binades", 0, 0, 2000, "1", "operands are scaled by 2^-k, k at random up to this")
      .choice("signs", "random", {"random", "positive"}, "of the operands")
      .integer("seed", 1, 0, 1'000'000'000, "1", "of the operands")
      .integer("timed_operands", 1 << 16, 1, 1 << 26, "1", "summands of a timed sum")
      .integer("repetitions_of_sums", 21, 1, 1'000'000, "1", "samples of each time")
      .integer("calls", 200, 1, 1'000'000'000, "1", "reductions over ranks in one sample")
      .preset("small",
              {{"most_operands", 16384},
               {"trials", 3},
               {"timed_operands", 8192},
               {"repetitions_of_sums", 5},
               {"calls", 20}},
              "well under a second")
      .phase("errors", base::PhaseKind::compute, "sums by each method and their errors, on rank 0")
      .phase("sums", base::PhaseKind::compute, "timed sums on each rank")
      .phase("reductions", base::PhaseKind::communicate, "timed sums over ranks")
      .metric("exact", "s", base::Better::lower, "an exact sum, time of one summand, lowest")
      .metric("reduction", "s", base::Better::lower, "an exact sum over ranks, lowest")
      .table("errors", {{"method", "text"}, {"operands", "1"}, {"trial", "1"}, {"bits", "bit"}},
             "log2 of the exact sum over the error; 54 stands for 54 or more")
      .table("sums", {{"method", "text"}, {"operands", "1"}, {"repetition", "1"}, {"seconds", "s"}},
             "time of one sum on rank 0")
      .table("reductions",
             {{"method", "text"},
              {"ranks", "1"},
              {"bytes", "B"},
              {"repetition", "1"},
              {"seconds", "s"}},
             "time of one sum over ranks, on the slowest; bytes of a summand in a message")
      .verifies({"most_operands", "trials", "binades", "signs", "seed"},
                "errors and bits of sums of these operands")
      .size_meaning("operands");
  return d;
}

}  // namespace hakaru::probes::reduction
