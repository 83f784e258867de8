#include "apps/ft/problem.hpp"

#include <algorithm>
#include <cmath>

namespace hakaru::apps::ft {
namespace {

struct Class {
  const char* name;
  Grid grid;
  std::int64_t iterations;
  std::vector<Complex> checksums;
};

// NPB 3.4, FT: problem sizes and reference checksums.
const std::vector<Class>& classes() {
  static const std::vector<Class> all = {
      {"S",
       {{64, 64, 64}},
       6,
       {{554.6087004964, 484.5363331978},
        {554.6385409189, 486.5304269511},
        {554.6148406171, 488.3910722336},
        {554.5423607415, 490.1273169046},
        {554.4255039624, 491.7475857993},
        {554.2683411902, 493.2597244941}}},
      {"W",
       {{128, 128, 32}},
       6,
       {{567.3612178944, 529.3246849175},
        {563.1436885271, 528.2149986629},
        {559.4024089970, 527.0996558037},
        {556.0698047020, 526.0027904925},
        {553.0898991250, 524.9400845633},
        {550.4159734538, 523.9212247086}}},
      {"A",
       {{256, 256, 128}},
       6,
       {{504.6735008193, 511.4047905510},
        {505.9412319734, 509.8809666433},
        {506.9376896287, 509.8144042213},
        {507.7892868474, 510.1336130759},
        {508.5233095391, 510.4914655194},
        {509.1487099959, 510.7917842803}}},
      {"B",
       {{512, 256, 256}},
       20,
       {{517.7643571579, 507.7803458597}, {515.4521291263, 508.8249431599},
        {514.6409228649, 509.6208912659}, {514.2378756213, 510.1023387619},
        {513.9626667737, 510.3976610617}, {513.7423460082, 510.5948019802},
        {513.5547056878, 510.7404165783}, {513.3910925466, 510.8576573661},
        {513.2470705390, 510.9577278523}, {513.1197729984, 511.0460304483},
        {513.0070319283, 511.1252433800}, {512.9070537032, 511.1968077718},
        {512.8182883502, 511.2616233064}, {512.7393733383, 511.3203605551},
        {512.6691062020, 511.3735928093}, {512.6064276004, 511.4218460548},
        {512.5504076570, 511.4656139760}, {512.5002331720, 511.5053595966},
        {512.4551951846, 511.5415130407}, {512.4146770029, 511.5744692211}}},
  };
  return all;
}

}  // namespace

Plan plan_of(const base::Parameters& parameters, int ranks) {
  Plan plan{{{parameters.integer("nx"), parameters.integer("ny"), parameters.integer("nz")}},
            6,
            parameters.text("style") == "direct" ? Style::direct : Style::published,
            parameters.text("method") == "put" ? Method::put : Method::alltoall,
            ranks};
  for (const Class& known : classes()) {
    if (parameters.text("class") != known.name) continue;
    plan.grid = known.grid;
    plan.iterations = known.iterations;
  }
  if (parameters.integer("iterations") > 0) plan.iterations = parameters.integer("iterations");
  return plan;
}

std::string refuse(const Plan& plan) {
  const auto& n = plan.grid.n;
  const std::int64_t ranks = plan.ranks;
  const bool x_divided = plan.style == Style::published;
  if (ranks > n[along_y] || ranks > n[along_z] || (x_divided && ranks > n[along_x]))
    return "each rank needs at least one plane in every direction that is divided";
  const bool even =
      n[along_y] % ranks == 0 && n[along_z] % ranks == 0 && (!x_divided || n[along_x] % ranks == 0);
  if (plan.method == Method::alltoall && !even)
    return "MPI_Alltoall moves equal blocks, so the ranks must divide the grid; method=put can do "
           "without";
  return "";
}

double nominal_operations(const Plan& plan) {
  const double points = plan.grid.points(), logarithm = std::log(points);
  return points * (14.8157 + 7.19641 * logarithm +
                   (5.23518 + 7.21113 * logarithm) * static_cast<double>(plan.iterations));
}

std::vector<Complex> published_checksums(const Grid& grid, std::int64_t iterations) {
  for (const Class& known : classes())
    if (known.grid.n == grid.n) {
      const auto count =
          std::min<std::size_t>(static_cast<std::size_t>(iterations), known.checksums.size());
      return {known.checksums.begin(),
              known.checksums.begin() + static_cast<std::ptrdiff_t>(count)};
    }
  return {};
}

}  // namespace hakaru::apps::ft
