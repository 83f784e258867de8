// What is computed for many trajectories at once, in explicit vectors of Google Highway: each
// number of a batch stands there as many times as a register has lanes, one trajectory a lane. So
// small matrices need neither shuffles nor remainders, and no lane knows of another.
#pragma once

#include <cstddef>
#include <string>

#include "apps/semiclassical/model.hpp"

namespace hakaru::apps::semiclassical {

// Pitches in vectors. They are odd: rows of 32 or 64 vectors would lie in few lines of the cache.
struct Shape {
  int n = 0, lanes = 0;
  explicit Shape(int degrees);
  std::size_t pitch() const { return 2 * static_cast<std::size_t>(n) + 1; }
  std::size_t hessian_pitch() const { return static_cast<std::size_t>(n) | 1; }
  // Doubles of one batch.
  std::size_t size() const;
};

// One batch. q, p, force: [n][lane]. hessian: [n][hessian_pitch][lane]. mq = (M_qq | M_qp) and
// mp = (M_pq | M_pp), M_xy = d x_t / d y_0: [n][pitch][lane] with 2 n columns.
struct Batch {
  Batch(const Shape& shape, double* memory);
  double *q, *p, *force, *potential, *kinetic, *action, *hessian, *mq, *mp;
};

// One stage of a step: q drifts by `before` (0: not), p is kicked by `kick`, q drifts by `drift`.
// All times the time step.
struct Stage {
  double before, kick, drift;
};

// V, forces and second derivatives at q. By one thread, as everything here.
void evaluate(const Model& model, const Shape& shape, const Batch& batch);
// q, p and the action S of a stage in two parts, between which V is evaluated:
// q += a G p, S += a T, then p += b F, S -= b V, and again q += a G p, S += a T. `g`: null is G
// = 1.
void drift(const Shape& shape, const Batch& batch, const double* g, double time);
void kick(const Shape& shape, const Batch& batch, double time);
// T = p^T G p / 2
void kinetic_energy(const Shape& shape, const Batch& batch, const double* g);
// The same for columns [begin, end) of mq and mp, which do not know of each other:
// mq += a G mp, then mp -= b (d2V/dq2) mq, then mq += a G mp.
void advance_columns(const Shape& shape, const Batch& batch, const double* g, const Stage& stage,
                     int begin, int end);

// det((M_qq + M_pp - i hbar w M_qp + i M_pq / (hbar w)) / 2) by Householder reflections, which need
// no exchange of rows. |det| >= 1 for symplectic M. `memory`: determinant_size() doubles.
struct alignas(64) Determinant {
  double log_magnitude[16], re[16], im[16];  // by lane; re^2 + im^2 = 1
};
std::size_t determinant_size(const Shape& shape);
void determinant(const Shape& shape, const Batch& batch, double hbar_width, double* memory,
                 Determinant& result);

// Columns that are computed together: threads that share a matrix get multiples of it.
int panel_columns();
int vector_lanes();
// The instruction set that is used: "AVX3", "AVX2", ...
std::string vector_target();

// Operations, per trajectory.
double products_flops(const Model& model);  // of a step
double determinant_flops(int n);

}  // namespace hakaru::apps::semiclassical
