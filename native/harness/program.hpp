// The contract of a leaf: what an app or a probe implements. The harness has the only main(); a
// leaf defines make_program().
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "native/base/checks.hpp"
#include "native/base/description.hpp"
#include "native/base/parameters.hpp"
#include "native/base/phases.hpp"
#include "native/base/samples.hpp"
#include "native/schedule/writer.hpp"

namespace hakaru::harness {

// What one execution gives to the leaf. On every rank.
class Run {
 public:
  virtual ~Run() = default;
  virtual const base::Parameters& parameters() const = 0;
  virtual base::Layout layout() const = 0;
  virtual int rank() const = 0;
  virtual base::Phases& phases() = 0;
  // Samples of rank 0 are kept; adding on other ranks is harmless.
  virtual base::Metrics& metrics() = 0;
  virtual base::Table& table(const std::string& name) = 0;
  // True when the user asked for a deliberately damaged result (`verify --damage`).
  virtual bool damaged() const = 0;
  // A line for people about how far the work is, 0 <= fraction <= 1; printed by rank 0 when someone
  // watches.
  virtual void progress(double fraction, const std::string& what) = 0;
};

// Writes what one rank does in one repetition.
using RankSchedule = std::function<void(schedule::RankWriter&)>;

// One leaf. Every method but describe, complete, work, refuse and what speaks of
// schedules is collective over the ranks.
class Program {
 public:
  virtual ~Program() = default;

  virtual base::Description describe() const = 0;

  // What these parameters mean when one of them names a file with others: the record, the work
  // counts and every other method have the result. Called once, on every rank, without MPI.
  virtual base::Parameters complete(const base::Parameters& given) const { return given; }

  // Size and memory of one repetition, all ranks together. Its phases are counted from schedule();
  // a leaf that has none says them here. Called without MPI, for any layout that refuse() accepts.
  virtual base::Work work(const base::Parameters& parameters, const base::Layout& layout) const = 0;

  // Why these parameters cannot run on this layout, or "" when they can.
  virtual std::string refuse(const base::Parameters&, const base::Layout&) const { return ""; }

  // What each rank does in repeat(), operation by operation, with the phases that it enters there.
  // Called without MPI for any layout that refuse() accepts; the result is called once for each
  // rank. Empty when the leaf has none; every app has one.
  virtual RankSchedule schedule(const base::Parameters&, const base::Layout&) const { return {}; }

  // Throws UserError(usage) when repeat() does more than schedule() says with these parameters, so
  // that it gives the work and no more.
  virtual void require_schedule(const base::Parameters&) const {}

  // Allocates and initialises; not timed.
  virtual void prepare(Run&) {}
  // One timed repetition. Each repetition does the same work from the same state.
  virtual void repeat(Run&) = 0;
  // Verifies the result of the last repetition; part of every `run`.
  virtual void check(Run&, base::Checks&) {}
  // The full verification, with problems and sizes of its own; `verify` calls it without prepare
  // and repeat. When run.damaged() the leaf spoils its result before it is checked, and the checks
  // must fail.
  virtual void verify(Run&, base::Checks&) = 0;
};

// Defined by each leaf.
std::unique_ptr<Program> make_program();

}  // namespace hakaru::harness
