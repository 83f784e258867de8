// Exclusive time by phase: the time of a phase entered inside another is taken out of the outer
// one.
#pragma once

#include <string>
#include <vector>

#include "native/base/description.hpp"

namespace hakaru::base {

// Told of phases as they begin and end, properly nested. Called by the thread that enters the
// phase.
class PhaseObserver {
 public:
  virtual ~PhaseObserver() = default;
  virtual void begin(const char* name) = 0;
  virtual void end(const char* name) = 0;
};

// Not thread safe: entered by the thread that runs the rank.
class Phases {
 public:
  explicit Phases(const std::vector<PhaseDescription>& phases);

  // `observer` (may be null) must outlive this; no phase may be open.
  void tell(PhaseObserver* observer);

  // Index of a described phase, to be looked up once outside of loops. Throws std::logic_error when
  // unknown.
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
  // The same for what changes too often to be told: the observer takes it for the phase around it.
  void enter_untold(int index);
  void leave();

  // Forgets all times; no phase may be open.
  void reset();

  // Exclusive seconds of each described phase, in the order of the description.
  const std::vector<double>& seconds() const { return seconds_; }
  const std::vector<PhaseDescription>& descriptions() const { return descriptions_; }

 private:
  std::vector<PhaseDescription> descriptions_;
  std::vector<double> seconds_;
  struct Open {
    int index;
    bool told;
  };
  void push(Open opened);

  std::vector<Open> open_;
  double mark_s_ = 0.0;
  PhaseObserver* observer_ = nullptr;
};

}  // namespace hakaru::base
