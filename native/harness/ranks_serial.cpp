// One rank, no MPI.
#include <cstdlib>

#include "native/harness/ranks.hpp"

namespace hakaru::harness {
namespace {

class SerialRanks final : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void barrier() override {}
  std::vector<double> gather(const std::vector<double>& values) override { return values; }
  std::vector<std::string> gather(const std::string& text) override { return {text}; }
  bool all(bool value) override { return value; }
  std::string library() const override { return "none"; }
  [[noreturn]] void abort(int exit_code) override { std::_Exit(exit_code); }
};

}  // namespace

std::unique_ptr<Ranks> start_ranks(int&, char**&, int) { return std::make_unique<SerialRanks>(); }
bool uses_mpi() { return false; }

}  // namespace hakaru::harness
