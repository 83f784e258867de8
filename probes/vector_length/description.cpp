#include "probes/vector_length/description.hpp"

#include "native/base/cores.hpp"

namespace hakaru::probes::vector_length {

base::Description description() {
  base::Description d("vector_length",
                      "kernels by the length of their vectors, on one to all cores");
  d.integer("cores", 0, 0, base::ProcessorMask::most, "1",
            "measure 1 to this many cores; 0: all that may be used")
      .integer("longest", std::int64_t{3} << 20, shortest, std::int64_t{1} << 30, "1",
               "elements of the longest vector")
      .integer("samples", 9, 1, 1'000'000, "1", "samples of each kernel and length, in turns")
      .real("sample_seconds", 2e-4, 1e-5, 10.0, "s", "least duration of a sample")
      .preset("small", {{"longest", 65536}, {"samples", 3}, {"sample_seconds", 1e-4}}, "seconds", 1)
      .phase("one", base::PhaseKind::compute, "one core")
      .phase("inner", base::PhaseKind::compute, "threads that share each vector")
      .phase("outer", base::PhaseKind::compute, "threads with a vector each")
      .metric("daxpy", "flop/s", base::Better::higher,
              "daxpy of C++ on one core, best sample of all lengths")
      .table("vectors",
             {{"kernel", "text"},
              {"language", "text"},
              {"way", "text"},
              {"cores", "1"},
              {"length", "1"},
              {"bytes", "B"},
              {"sample", "1"},
              {"passes", "1"},
              {"vectors", "1"},
              {"seconds", "s"},
              {"operations", "1"}},
             "seconds of all passes; vectors of a pass; operations of a vector; bytes of a vector: "
             "what has to fit into a cache")
      .table("compilers", {{"language", "text"}, {"compiler", "text"}}, "what was built with")
      .table("missing", {{"what", "text"}, {"why", "text"}}, "what this machine does not allow")
      .limits(1, 0)
      .verifies({}, "every kernel, language and way at awkward lengths")
      .size_meaning("elements of the longest vector");
  return d;
}

}  // namespace hakaru::probes::vector_length
