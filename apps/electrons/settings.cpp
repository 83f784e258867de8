#include "apps/electrons/settings.hpp"

#include <fmt/format.h>

#include <cmath>

#include "apps/electrons/input.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::electrons {
namespace {

Shape mesh_of(const base::Parameters& p, const char* prefix) {
  Shape shape;
  const char* axes[] = {"x", "y", "z"};
  for (int d = 0; d < 3; ++d)
    shape[d] = static_cast<int>(p.integer(fmt::format("{}{}", prefix, axes[d])));
  return shape;
}

Field field_of(const base::Parameters& p) {
  Field field;
  const std::string &kind = p.text("field"), &direction = p.text("direction");
  field.kind = kind == "none"      ? Field::Kind::none
               : kind == "impulse" ? Field::Kind::impulse
                                   : Field::Kind::pulse;
  field.direction = direction == "x" ? 0 : direction == "y" ? 1 : 2;
  field.impulse = p.real("impulse");
  field.amplitude = amplitude_of_intensity(p.real("intensity"));
  field.frequency = p.real("photon_energy") / hartree_ev;
  field.duration = p.real("duration") / time_unit_fs;
  return field;
}

// exp(iGx) with G near the edge of the grid has 3.25/h^2 hartree along each axis; the Taylor
// series of fourth order is stable for dt E < 2.83.
void require_stable(const CellGrid& grid, double dt) {
  double highest = 0.0;
  for (int d = 0; d < 3; ++d) highest += 3.2508 / (grid.spacing(d) * grid.spacing(d));
  const double most = 2.83 / (highest + 3.0);
  base::require(std::abs(dt) <= most, fmt::format("dt = {} is too long for this grid", dt),
                fmt::format("the Taylor series is stable up to about {:.3g} a.u. where the kinetic "
                            "energy reaches {:.1f} hartree",
                            most, highest),
                "choose a shorter dt or a coarser grid");
}

void require_resolved(const System& system, bool waves) {
  for (int d = 0; d < 3; ++d)
    base::require(system.grid.points[d] >= 8,
                  fmt::format("a grid of {} points is too small", system.grid.points[d]),
                  "the stencil reaches over nine points", "give each axis at least 8 points");
  for (const Pseudopotential& species : system.crystal.species)
    for (int d = 0; d < 3; ++d) {
      const double coarsest = 1.4 * species.local_width;
      base::require(
          waves || species.kind == Pseudopotential::Kind::appelbaum_hamann ||
              system.grid.spacing(d) <= coarsest,
          fmt::format("the grid is too coarse for {}", species.name),
          fmt::format("{:.3f} bohr between points, its potential is {:.3f} bohr wide",
                      system.grid.spacing(d), species.local_width),
          fmt::format("give the axis at least {} points, or start=waves for a test of speed",
                      static_cast<int>(std::ceil(system.grid.lengths[d] / coarsest))));
    }
}

}  // namespace

void declare_parameters(base::Description& d) {
  d.choice("crystal", "silicon_soft", {"silicon", "silicon_soft", "diamond", "quartz"},
           "silicon, diamond, quartz: GTH pseudopotentials; silicon_soft: Appelbaum-Hamann's, "
           "local and smooth enough for 16 points")
      .real("constant", 0.0, 0.0, 100.0, "bohr", "lattice constant a; 0: the usual one");
  for (const char* axis : {"x", "y", "z"})
    d.integer(std::string("n") + axis, 16, 4, 1024, "1", "grid points along this axis");
  for (const char* axis : {"x", "y", "z"})
    d.integer(std::string("k") + axis, 2, 1, 256, "1", "Monkhorst-Pack k-points along this axis");
  d.boolean("symmetry", true,
            "take k-points once that the crystal's symmetry about the field maps "
            "on each other")
      .real("reach", 5.0, 2.0, 100.0, "1", "radius of the projectors' spheres in their widths")
      .choice("start", "ground_state", {"ground_state", "waves"},
              "waves: plane waves instead of the ground state; for speed, not physics")
      .integer("steps", 100, 1, 100'000'000, "1", "time steps of a repetition")
      .real("dt", 0.08, 1e-6, 1.0, "atomic units of time", "time step; 1 a.u. is 0.024189 fs")
      .integer("corrections", 1, 0, 4, "1",
               "corrector steps of the mean field; 0: extrapolated, one pass a step")
      .boolean("frozen", false, "keep the mean field of the ground state: independent electrons")
      .choice("field", "impulse", {"none", "impulse", "pulse"}, "applied vector potential")
      .choice("direction", "z", {"x", "y", "z"}, "axis of the field")
      .real("impulse", 0.005, -1.0, 1.0, "a.u.", "height of the impulse: A/c after t = 0")
      .real("intensity", 1e12, 0.0, 1e18, "W/cm^2", "peak intensity of the pulse")
      .real("photon_energy", 1.55, 1e-3, 1e4, "eV", "of the pulse")
      .real("duration", 10.672, 1e-3, 1e6, "fs", "of the whole pulse, sin^2 envelope")
      .choice("geometry", "transverse", {"transverse", "longitudinal", "film"},
              "the applied field alone; with the electrons' own; light through a film")
      .integer("points", 2, 1, 1'000'000, "1", "macroscopic points of the film")
      .real("spacing", 250.0, 1e-3, 1e9, "bohr", "between macroscopic points")
      .integer("vacuum_before", 256, 2, 10'000'000, "1", "cells of vacuum before the film")
      .integer("vacuum_after", 16, 2, 10'000'000, "1", "cells of vacuum after the film")
      .integer("groups", 0, 0, 1'000'000, "1",
               "groups of ranks that share macroscopic points; 0: as many as possible")
      .integer("energy_interval", 100, 0, 1'000'000, "1",
               "steps between total energies, which the field's work has to explain; 0: none, and "
               "the run is not watched")
      .integer("extra_bands", 4, 1, 100, "1", "empty bands that help to find the ground state")
      .real("energy_max", 20.0, 0.1, 1e4, "eV", "end of the table of the dielectric function")
      .choice("variant", "explicit", {"explicit", "compiler"}, "of the kernels")
      .integer("prefetch", 0, 0, 4096, "B", "software prefetch distance of the explicit kernel")
      .text("ground_state", "",
            "file of the ground state: read where it exists, else written; keeps an unfinished "
            "search, which a later run continues")
      .integer("ground_state_interval", 5, 0, 1'000'000, "1",
               "iterations after which the search is written to ground_state; 0: on SIGUSR1 only")
      .text("checkpoint", "",
            "file to write after the last step, at intervals, and when SIGUSR1 arrives")
      .integer("checkpoint_interval", 0, 0, 100'000'000, "1", "steps between checkpoints; 0: none")
      .text("restart", "", "checkpoint to continue from")
      .text(
          "input", "",
          "TOML file with units; it wins over a preset, a value given beside it wins over the file")
      .choice("verification", "quick", {"quick", "full"},
              "full: adds silicon's table, diamond's bands, the film, plasmon and reflection")
      .verifies({"verification"}, "formulas, ground states, dynamics and light on small cells");
  d.preset("small",
           {{"crystal", "silicon_soft"},
            {"nx", 12},
            {"ny", 12},
            {"nz", 12},
            {"kx", 2},
            {"ky", 2},
            {"kz", 4},
            {"symmetry", true},
            {"steps", 10},
            {"energy_interval", 5}},
           "soft silicon, 4 k-points, 10 steps: seconds")
      .preset("silicon",
              {{"crystal", "silicon_soft"},
               {"nx", 16},
               {"ny", 16},
               {"nz", 16},
               {"kx", 4},
               {"ky", 4},
               {"kz", 4},
               {"steps", 6000},
               {"dt", 0.1},
               {"corrections", 0}},
              "dielectric function of silicon in minutes")
      .preset(
          "long",
          {{"crystal", "silicon_soft"},
           {"nx", 16},
           {"ny", 16},
           {"nz", 16},
           {"kx", 2},
           {"ky", 2},
           {"kz", 2},
           {"symmetry", true},
           {"steps", 20'000},
           {"dt", 0.1},
           {"corrections", 0},
           {"energy_interval", 100}},
          "ten minutes on one core: soft silicon for 2000 atomic units of time after an impulse", 8)
      .preset("diamond",
              {{"crystal", "diamond"},
               {"nx", 24},
               {"ny", 24},
               {"nz", 24},
               {"kx", 4},
               {"ky", 4},
               {"kz", 4},
               {"steps", 2000},
               {"dt", 0.02},
               {"corrections", 0}},
              "diamond on a grid that resolves carbon, 12 k-points")
      .preset("quartz",
              {{"crystal", "quartz"},
               {"nx", 36},
               {"ny", 64},
               {"nz", 40},
               {"kx", 1},
               {"ky", 1},
               {"kz", 1},
               {"steps", 100},
               {"dt", 0.018},
               {"corrections", 0}},
              "alpha quartz on a grid that resolves oxygen, Gamma: ground state in minutes")
      .preset("si_published",
              {{"crystal", "silicon"},
               {"nx", 16},
               {"ny", 16},
               {"nz", 16},
               {"kx", 24},
               {"ky", 24},
               {"kz", 24},
               {"symmetry", false},
               {"start", "waves"},
               {"steps", 10},
               {"dt", 0.04},
               {"corrections", 0},
               {"energy_interval", 0}},
              "the published silicon case, 24^3 k-points: 13.5 GiB of orbitals")
      .preset("sio2_published",
              {{"crystal", "quartz"},
               {"nx", 20},
               {"ny", 36},
               {"nz", 52},
               {"kx", 4},
               {"ky", 4},
               {"kz", 4},
               {"symmetry", false},
               {"start", "waves"},
               {"steps", 10},
               {"dt", 0.02},
               {"corrections", 0},
               {"energy_interval", 0}},
              "the published quartz case, 4^3 k-points: 1.7 GiB of orbitals");
}

base::Parameters effective(const base::Parameters& given) {
  bool complete = true;
  for (const auto& [name, value] : given.to_json().items())
    complete = complete && given.assigned(name);
  if (complete || given.text("input").empty()) return given;
  return with_input(given, given.text("input"));
}

Settings settings_of(const base::Parameters& p) {
  Settings s;
  s.field = field_of(p);
  const Crystal crystal = crystal_of(p.text("crystal"), p.real("constant"));
  s.system = make_system(crystal, mesh_of(p, "n"), mesh_of(p, "k"),
                         p.boolean("symmetry") ? s.field.direction : -1, p.real("reach"));
  s.waves = p.text("start") == "waves";
  require_resolved(s.system, s.waves);
  s.propagator = {p.real("dt"), static_cast<int>(p.integer("corrections")), p.boolean("frozen")};
  require_stable(s.system.grid, s.propagator.dt);
  const std::string& geometry = p.text("geometry");
  s.geometry = geometry == "film"           ? Geometry::film
               : geometry == "longitudinal" ? Geometry::longitudinal
                                            : Geometry::transverse;
  s.film = {static_cast<int>(p.integer("points")), static_cast<int>(p.integer("vacuum_before")),
            static_cast<int>(p.integer("vacuum_after")), p.real("spacing"), s.propagator.dt};
  base::require(s.geometry != Geometry::film || light_speed * s.film.dt < s.film.spacing,
                "the macroscopic points are too close for dt",
                "light passes more than one of them in a step", "raise spacing or shorten dt");
  base::require(s.geometry != Geometry::film || s.field.kind == Field::Kind::pulse,
                "a film needs field=pulse", "an impulse has no wavelength", "give field=pulse");
  s.stencil = {p.text("variant") == "compiler" ? Variant::compiler : Variant::explicit_simd,
               static_cast<std::size_t>(p.integer("prefetch"))};
  s.steps = static_cast<int>(p.integer("steps"));
  s.energy_interval = static_cast<int>(p.integer("energy_interval"));
  s.groups = static_cast<int>(p.integer("groups"));
  s.checkpoint = p.text("checkpoint"), s.restart = p.text("restart");
  s.ground_state = p.text("ground_state");
  s.ground_state_interval = static_cast<int>(p.integer("ground_state_interval"));
  s.checkpoint_interval = static_cast<int>(p.integer("checkpoint_interval"));
  s.energy_max = p.real("energy_max") / hartree_ev;
  base::require(s.checkpoint_interval == 0 || !s.checkpoint.empty(),
                "checkpoint_interval needs a file", "", "give checkpoint=FILE");
  s.extra_bands = static_cast<int>(p.integer("extra_bands"));
  return s;
}

}  // namespace hakaru::apps::electrons
