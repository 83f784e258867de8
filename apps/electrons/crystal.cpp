#include "apps/electrons/crystal.hpp"

#include <cmath>

#include "native/base/require.hpp"

namespace hakaru::apps::electrons {
int Crystal::electrons() const {
  double sum = 0.0;
  for (const Atom& atom : atoms) sum += of(atom).valence;
  return static_cast<int>(std::lround(sum));
}

Crystal diamond_structure(const std::string& name, const Pseudopotential& atom, double a) {
  constexpr double places[8][3] = {{0, 0, 0},   {.25, .25, .25}, {.5, 0, .5},     {0, .5, .5},
                                   {.5, .5, 0}, {.75, .25, .75}, {.25, .75, .75}, {.75, .75, .25}};
  Crystal crystal{name, {a, a, a}, {atom}, {}};
  for (const auto& p : places) crystal.atoms.push_back({0, {a * p[0], a * p[1], a * p[2]}});
  return crystal;
}

Crystal silicon(double constant) { return diamond_structure("silicon", gth_silicon(), constant); }
Crystal soft_silicon(double constant) {
  return diamond_structure("silicon_soft", appelbaum_hamann_silicon(), constant);
}
Crystal diamond(double constant) { return diamond_structure("diamond", gth_carbon(), constant); }

Crystal quartz(double a) {
  constexpr double silicons[6][3] = {{.9701, .5, 0}, {.2649, .7350, .6667}, {.2649, .2650, .3333},
                                     {.4701, 0, 0},  {.7649, .2350, .6667}, {.7649, .7650, .3333}};
  constexpr double oxygens[12][3] = {
      {.7798, .6338, .1191}, {.5608, .7068, .5476}, {.1594, .5730, .7858}, {.1594, .4270, .2142},
      {.5608, .2932, .4524}, {.7798, .3662, .8809}, {.2798, .1338, .1191}, {.0608, .2068, .5476},
      {.6594, .0730, .7858}, {.6594, .9270, .2142}, {.0608, .7932, .4524}, {.2798, .8662, .8809}};
  Crystal crystal{"quartz", {a, 1.732051 * a, 1.100094 * a}, {gth_silicon(), gth_oxygen()}, {}};
  auto add = [&](int species, const double(&p)[3]) {
    crystal.atoms.push_back(
        {species,
         {p[0] * crystal.lengths[0], p[1] * crystal.lengths[1], p[2] * crystal.lengths[2]}});
  };
  for (const auto& p : silicons) add(0, p);
  for (const auto& p : oxygens) add(1, p);
  return crystal;
}

Crystal crystal_of(const std::string& name, double constant) {
  if (name == "silicon") return silicon(constant > 0 ? constant : 10.26);
  if (name == "silicon_soft") return soft_silicon(constant > 0 ? constant : 10.26);
  if (name == "diamond") return diamond(constant > 0 ? constant : 6.74);
  base::require(name == "quartz", "there is no crystal " + name, "",
                "choose silicon, silicon_soft, diamond or quartz");
  return quartz(constant > 0 ? constant : 9.2849);
}

}  // namespace hakaru::apps::electrons
