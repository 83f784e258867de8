#include "apps/semiclassical/settings.hpp"

#include <fmt/format.h>

#include "apps/semiclassical/cluster.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::semiclassical {
namespace {

void declare_molecule(base::Description& d) {
  d.choice("potential", "henon_heiles", {"henon_heiles", "morse", "lennard_jones"},
           "N coupled oscillators; a line of N bonds; a cluster of atoms")
      .integer("n", 6, 1, 1000, "1", "degrees of freedom of henon_heiles and of morse")
      .integer("atoms", 13, 2, 300, "1", "of lennard_jones, three degrees of freedom each")
      .text("input", "", "XYZ file (in units of sigma) of a cluster that is taken instead")
      .boolean("relax", true, "move the cluster to its local minimum before")
      .real("coupling", 0.111803, -1e6, 1e6, "1", "of henon_heiles, or quartic of morse")
      .real("depth", 10.0, 0.0, 1e12, "1", "D of morse")
      .real("range", 0.2236068, 0.0, 1e6, "1", "a of morse: exp(-a x)")
      .real("hbar", 1.0, 1e-6, 1e6, "1",
            "of lennard_jones in units of sigma (m epsilon)^(1/2): neon 0.0940, argon 0.0294")
      .real("width", 1.0, 1e-6, 1e9, "1", "of all Gaussians: exp(-width (x - q)^2 / 2)")
      .real("displacement", 1.0, -1e6, 1e6, "1",
            "centre of the wave packet in each coordinate of henon_heiles and morse")
      .real("momentum", 0.0, -1e6, 1e6, "1", "the same of each momentum")
      .real("stretch", 1.0, 0.5, 2.0, "1",
            "of lennard_jones: the packet's centre is the geometry times this");
}

void declare_ensemble(base::Description& d) {
  d.integer("trajectories", 4096, 1, 1'000'000'000'000, "1", "of all ranks together")
      .integer("steps", 100, 1, 1'000'000'000, "1", "of each trajectory")
      .real("dt", 0.05, 1e-9, 1e3, "1", "time of a step")
      .integer("interval", 5, 1, 1'000'000'000, "1", "steps from one output to the next")
      .integer("seed", 1, 0, 1'000'000'000, "1", "of the random numbers")
      .integer("part", 0, 0, 1'000'000'000'000, "1",
               "trajectories between two sums over all ranks, and checkpoints; 0: all at once")
      .choice("threading", "over", {"over", "inside"},
              "threads share trajectories, or the columns of each trajectory's matrix")
      .real("energy_change", 0.01, 1e-12, 1e6, "1",
            "relative, beyond which a trajectory is lost: it counts as zero from then on")
      .text("checkpoint", "", "file of the sums so far, written after each part")
      .text("restart", "", "checkpoint to go on from, to as many trajectories as are asked for");
}

void place_packet(const base::Parameters& p, Settings& s) {
  const auto n = static_cast<std::size_t>(s.model.n);
  s.centre_p.assign(n, p.real("momentum"));
  s.centre_q.assign(n, p.real("displacement"));
  if (s.model.potential != Potential::lennard_jones) return;
  s.centre_p.assign(n, 0.0);
  const std::string& file = p.text("input");
  s.centre_q = file.empty() ? cluster_of(s.model.n / 3) : read_cluster(file);
  if (p.boolean("relax")) s.centre_q = relaxed(s.centre_q);
  for (double& q : s.centre_q) q *= p.real("stretch");
}

}  // namespace

void declare_parameters(base::Description& d) {
  declare_molecule(d);
  declare_ensemble(d);
  d.preset("small", {{"trajectories", 2048}}, "a twentieth of a second")
      .preset("cluster",
              {{"potential", "lennard_jones"},
               {"hbar", 0.0294},
               {"width", 400.0},
               {"dt", 0.005},
               {"interval", 1},
               {"trajectories", 64},
               {"steps", 100}},
              "thirteen argon atoms, a second")
      .preset("long",
              {{"potential", "morse"},
               {"n", 12},
               {"coupling", 0.01},
               {"displacement", 0.3},
               {"trajectories", 40960},
               {"steps", 2000},
               {"interval", 2},
               {"part", 4096}},
              "ten minutes on one core", 2);
}

int degrees_of(const base::Parameters& p) {
  if (p.text("potential") != "lennard_jones") return static_cast<int>(p.integer("n"));
  const std::string& file = p.text("input");
  return file.empty() ? 3 * static_cast<int>(p.integer("atoms"))
                      : static_cast<int>(read_cluster(file).size());
}

Settings settings_of(const base::Parameters& p, bool geometry) {
  Settings s;
  const std::string& potential = p.text("potential");
  base::require(p.text("input").empty() || potential == "lennard_jones",
                "input cannot be used with potential=" + potential,
                "an XYZ file is of atoms in space", "give potential=lennard_jones");
  s.model.potential = potential == "morse"           ? Potential::morse
                      : potential == "lennard_jones" ? Potential::lennard_jones
                                                     : Potential::henon_heiles;
  s.model.n = degrees_of(p);
  s.model.coupling = p.real("coupling"), s.model.depth = p.real("depth");
  s.model.range = p.real("range");
  s.hbar = p.real("hbar"), s.width = p.real("width"), s.dt = p.real("dt");
  s.trajectories = p.integer("trajectories"), s.steps = p.integer("steps");
  s.interval = p.integer("interval");
  base::require(s.interval <= s.steps,
                fmt::format("interval={} is more than steps={}", s.interval, s.steps),
                "there would be nothing to see", "take a smaller interval");
  s.part = p.integer("part") > 0 ? p.integer("part") : s.trajectories;
  s.seed = static_cast<std::uint64_t>(p.integer("seed"));
  s.inside = p.text("threading") == "inside";
  s.most_energy_change = p.real("energy_change");
  s.checkpoint = p.text("checkpoint"), s.restart = p.text("restart");
  if (geometry) place_packet(p, s);
  return s;
}

}  // namespace hakaru::apps::semiclassical
