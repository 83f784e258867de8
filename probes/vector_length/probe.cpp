// Kernels by the length of their vectors: from a register's worth to memory, in C++ and Fortran, on
// one core and on several, which share each vector or have one each.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "native/base/cores.hpp"
#include "native/harness/program.hpp"
#include "probes/vector_length/description.hpp"
#include "probes/vector_length/measurement.hpp"

namespace hakaru::probes::vector_length {
namespace {

// 16, 24, 32, 48, ... and `longest`.
std::vector<std::int64_t> lengths(std::int64_t longest) {
  std::vector<std::int64_t> found;
  for (std::int64_t power = shortest; power <= longest; power *= 2) {
    found.push_back(power);
    if (power / 2 * 3 <= longest) found.push_back(power / 2 * 3);
  }
  if (found.back() != longest) found.push_back(longest);
  return found;
}

std::vector<Language> languages() {
  if (fortran_compiler().empty()) return {Language::cpp};
  return {all_languages.begin(), all_languages.end()};
}

class VectorLength final : public harness::Program {
 public:
  base::Description describe() const override { return description(); }

  base::Work work(const base::Parameters& parameters, const base::Layout&) const override {
    const auto longest = static_cast<double>(parameters.integer("longest"));
    const auto cores = static_cast<double>(base::wanted_cores(parameters.integer("cores")));
    return {longest,
            longest * bytes_of_element * cores,
            {{"one"}, {"inner"}, {"outer"}}};
  }

  std::string refuse(const base::Parameters& parameters, const base::Layout&) const override {
    return base::too_many_cores(parameters.integer("cores"));
  }

  void prepare(harness::Run& run) override {
    cores_ = base::distinct_cores();
    cores_.resize(static_cast<std::size_t>(base::wanted_cores(run.parameters().integer("cores"))));
    sets_ = sets_for(base::PinnedTeam(cores_), run.parameters().integer("longest"));
  }

  void repeat(harness::Run& run) override {
    errors_.clear();
    best_ = 0.0;
    run.table("compilers").row({"C++", "GNU or alike, " __VERSION__});
    run.table("compilers").row({"Fortran", fortran_compiler()});
    if (fortran_compiler().empty()) {
      run.table("missing").row({"Fortran", "there was no compiler of it when hakaru was built"});
      fmt::print("vector_length: Fortran is not measured (hakaru was built without it); C++ is\n");
    }
    const auto all = lengths(run.parameters().integer("longest"));
    const auto counts = base::spread_counts(static_cast<int>(cores_.size()));
    for (int count : counts) {
      base::PinnedTeam team({cores_.begin(), cores_.begin() + count});
      for (std::size_t i = 0; i < all.size(); ++i) {
        run.progress(static_cast<double>(i) / static_cast<double>(all.size()),
                     fmt::format("{} cores, {} elements", count, all[i]));
        measure_length(run, team, all[i]);
      }
    }
    run.metrics().add("daxpy", best_);
  }

  void check(harness::Run&, base::Checks& checks) override {
    for (const auto& [name, error] : errors_)
      checks.at_most(name, error, 1.0,
                     "largest relative error against long double, in units of its tolerance");
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    auto processors = base::distinct_cores();
    processors.resize(std::min<std::size_t>(run.layout().threads, processors.size()));
    const base::PinnedTeam team(processors);
    Sets sets = sets_for(team, 1003);
    for (std::int64_t n : {1, 3, 16, 17, 1000, 1003})
      for (Language language : languages())
        for (Way way : {Way::one, Way::inner, Way::outer})
          for (Kernel kernel : all_kernels)
            verify_one(team, {kernel, language, way}, sets, n, run.damaged());
    check(run, checks);
  }

 private:
  void measure_length(harness::Run& run, const base::PinnedTeam& team, std::int64_t length) {
    const auto samples = run.parameters().integer("samples");
    const double least_s = run.parameters().real("sample_seconds");
    const std::vector<Way> ways =
        team.size() == 1 ? std::vector{Way::one} : std::vector{Way::inner, Way::outer};
    fill(team, sets_, length);
    std::map<Series, std::int64_t> passes;
    for (std::int64_t number = 0; number < samples; ++number)
      for (Kernel kernel : all_kernels)
        for (Language language : languages())
          for (Way way : ways) {
            const Series series{kernel, language, way};
            auto phase = run.phases().scope(name_of(way));
            auto& own = passes.try_emplace(series, 2).first->second;
            const Sample found = sample(team, series, sets_, least_s, own);
            add_row(run, team, series, length, number, found);
            if (number + 1 == samples) keep(series, error(team, series, sets_, found.total));
          }
  }

  void add_row(harness::Run& run, const base::PinnedTeam& team, const Series& series,
               std::int64_t length, std::int64_t number, const Sample& found) {
    const std::int64_t vectors = vectors_of(team, series.way);
    const std::int64_t operations = operations_of(series.kernel) * length;
    run.table("vectors").row({name_of(series.kernel), name_of(series.language), name_of(series.way),
                              team.size(), length, bytes_of(series.kernel) * length, number,
                              found.passes, vectors, found.seconds, operations});
    if (series.kernel == Kernel::daxpy && series.language == Language::cpp && team.size() == 1)
      best_ = std::max(best_, static_cast<double>(found.passes * operations) / found.seconds);
  }

  void verify_one(const base::PinnedTeam& team, const Series& series, Sets& sets, std::int64_t n,
                  bool damage) {
    fill(team, sets, n);
    Sample found = vector_length::run(team, series, sets, 2);
    if (damage) {
      found.total *= 1.001;
      sets.front().y[static_cast<std::size_t>(n / 2)] += 1.0;
      sets.front().z[static_cast<std::size_t>(n / 2)] += 1.0;
    }
    keep(series, error(team, series, sets, found.total));
    if (series.kernel == Kernel::daxpy && !damage)
      keep(series, error_of_daxpy(team, series.language, series.way, sets));
  }

  void keep(const Series& series, double error) {
    auto& worst = errors_[fmt::format("{} {}", name_of(series.kernel), name_of(series.language))];
    worst = std::max(worst, error);
  }

  std::vector<int> cores_;
  Sets sets_;
  std::map<std::string, double> errors_;
  double best_ = 0.0;
};

}  // namespace
}  // namespace hakaru::probes::vector_length

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::vector_length::VectorLength>();
}
