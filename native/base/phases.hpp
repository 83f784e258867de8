// Exclusive time by phase: the time of a phase entered inside another is taken out of the outer one.
#pragma once

#include <string>
#include <vector>

#include "native/base/description.hpp"

namespace hakaru::base {

// Not thread safe: entered by the thread that runs the rank.
class Phases {
 public:
  explicit Phases(const std::vector<PhaseDescription>& phases);

  // Index of a described phase, to be looked up once outside of loops. Throws std::logic_error when unknown.
  int index(const std::string& name) const;

  // Leaves the phase when it goes out of scope.
  class Scope {
   public:
    Scope(Phases& phases, int index) : phases_(phases) { phases_.enter(index); }
    ~Scope() { phases_.leave(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Phases& phases_;
  };
  [[nodiscard]] Scope scope(int index) { return Scope(*this, index); }
  [[nodiscard]] Scope scope(const std::string& name) { return Scope(*this, index(name)); }

  void enter(int index);
  void leave();

  // Forgets all times; no phase may be open.
  void reset();

  // Exclusive seconds of each described phase, in the order of the description.
  const std::vector<double>& seconds() const { return seconds_; }
  const std::vector<PhaseDescription>& descriptions() const { return descriptions_; }

 private:
  std::vector<PhaseDescription> descriptions_;
  std::vector<double> seconds_;
  std::vector<int> open_;
  double mark_s_ = 0.0;
};

}  // namespace hakaru::base
