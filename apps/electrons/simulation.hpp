// A run: the field, the macroscopic points of this rank's group and their electrons, step by step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/electrons/energy_watch.hpp"
#include "apps/electrons/field.hpp"
#include "apps/electrons/maxwell.hpp"
#include "apps/electrons/propagator.hpp"

namespace hakaru::apps::electrons {

enum class Geometry {
  transverse,    // the electrons feel the applied field alone
  longitudinal,  // and the field of their own current: a'' = -4 pi j
  film           // light passes through macroscopic points
};

struct Settings {
  System system;
  Field field;
  Geometry geometry = Geometry::transverse;
  Film film;
  PropagatorOptions propagator;
  StencilOptions stencil;
  int steps = 100;
  int energy_interval = 0;  // steps; 0: no energies, and the run is not watched
  int groups = 0;           // of ranks; 0: chosen
  bool waves = false;       // start from plane waves: no ground state, no physics
  int extra_bands = 4;
  std::string checkpoint, restart, ground_state;  // files, or ""
  int checkpoint_interval = 0;                    // steps; 0: only after the last
  int ground_state_interval = 0;                  // iterations of its search; 0: on a signal only
  double energy_max = 0.0;                        // hartree, of the dielectric function

  bool checkpoint_after(int step) const {
    return checkpoint_interval > 0 && step % checkpoint_interval == 0;
  }
};

// Hartree, up to which occupied orbitals reach; the plane waves of a test of speed have more.
double highest_energy(const Settings& settings);

class Simulation {
 public:
  // Collective over `world`. Finds no ground state yet.
  Simulation(const Settings& settings, const parallel::Communicator& world, const Clock& clock);

  const Settings& settings() const { return settings_; }
  const RankLayout& layout() const { return layout_; }
  const parallel::Communicator& group() const { return *group_; }
  const Hamiltonian& hamiltonian() const { return hamiltonian_; }
  MeanField& field() { return field_; }
  const System& system() const { return settings_.system; }

  // Collective.
  GroundState find_ground_state(const GroundStateOptions& options, GroundState from = {},
                                const Watch& watch = {});
  // All points start from these orbitals (from plane waves when null) just before t = 0, and feel
  // an impulse at once. Collective.
  void begin(const Orbitals* from);
  // One step of all points. Collective. `signalled`: this rank was asked for a checkpoint.
  void step(bool signalled = false);
  // The energy of the present time, where it is not known and energies are wanted: the last step's.
  // Collective.
  void close();

  // A rank was asked, and all ranks know it: true after the same step on every one of them, which
  // is as many steps after the request as there are groups besides that rank's own.
  bool signalled() const { return signalled_; }
  int steps_done() const { return step_; }
  const std::vector<Moment>& history() const { return history_; }
  // Of the history so far; the same on all ranks of a group.
  const EnergyWatch& watch() const { return watch_; }
  std::vector<Propagator>& points() { return points_; }
  Maxwell* maxwell() { return maxwell_ ? &*maxwell_ : nullptr; }
  // Current at each point of this group at the present time, along the field.
  const std::vector<double>& currents() const { return currents_; }

  // What a restart needs beside orbitals and mean fields: see checkpoint.cpp.
  struct Scalars {
    int step;
    double induced, induced_before, work;
  };
  Scalars scalars() const { return {step_, induced_, induced_before_, work_}; }
  void resume(const Scalars& scalars, const std::vector<double>& currents,
              std::vector<Moment> history);
  // The light before the film, where there is one.
  void prepare_fields();

 private:
  double total_a(int point) const;
  double total_a_before(int point) const;
  Vector along(double a) const;
  void advance_field();
  void note(const Observed& first);
  double energy_now();

  Settings settings_;
  RankLayout layout_;
  std::optional<parallel::Communicator> group_, line_;
  Clock clock_;
  Hamiltonian hamiltonian_;
  MeanField field_;
  std::vector<Propagator> points_;
  std::optional<Maxwell> maxwell_;
  std::vector<double> currents_;
  std::vector<Moment> history_;
  EnergyWatch watch_;
  int step_ = 0;
  double induced_ = 0.0, induced_before_ = 0.0, work_ = 0.0;
  bool signalled_ = false;
  double requested_ = no_request;  // step of the next checkpoint that was asked for
};

}  // namespace hakaru::apps::electrons
