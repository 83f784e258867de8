// Ranks of MPI_COMM_WORLD.
#include "native/harness/ranks.hpp"
#include "native/parallel/communicator.hpp"
#include "native/parallel/environment.hpp"

namespace hakaru::harness {
namespace {

// IPM's convention (D. Skinner, "Performance monitoring of parallel scientific applications", LBNL
// 2005), which other tracers know too: MPI_Pcontrol(1, "name") begins a region, MPI_Pcontrol(-1,
// "name") ends it. Without a tracer the call does nothing.
class Regions final : public base::PhaseObserver {
 public:
  void begin(const char* name) override { MPI_Pcontrol(1, name); }
  void end(const char* name) override { MPI_Pcontrol(-1, name); }
};

class MpiRanks final : public Ranks {
 public:
  MpiRanks(int& count, char**& arguments, int threads)
      : environment_(count, arguments, threads > 1 ? MPI_THREAD_FUNNELED : MPI_THREAD_SINGLE),
        world_(parallel::Communicator::world()) {}
  int rank() const override { return world_.rank(); }
  int size() const override { return world_.size(); }
  void barrier() override { world_.barrier(); }
  std::vector<double> gather(const std::vector<double>& values) override {
    return world_.gather(values, 0);
  }
  std::vector<std::string> gather(const std::string& text) override {
    return world_.gather_text(text, 0);
  }
  bool all(bool value) override { return world_.all(value); }
  base::PhaseObserver* observer() override { return &regions_; }
  std::string library() const override { return parallel::library_version(); }
  [[noreturn]] void abort(int exit_code) override { parallel::abort(exit_code); }

 private:
  parallel::Environment environment_;
  parallel::Communicator world_;
  Regions regions_;
};

}  // namespace

std::unique_ptr<Ranks> start_ranks(int& count, char**& arguments, int threads) {
  return std::make_unique<MpiRanks>(count, arguments, threads);
}
bool uses_mpi() { return true; }

}  // namespace hakaru::harness
