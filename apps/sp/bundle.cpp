#include "apps/sp/bundle.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace hakaru::apps::sp {
namespace {

constexpr std::int64_t margin = 2;  // rows before the first point, for fourth differences
const double root_half = std::sqrt(0.5);

Vector root(Vector value) {
  for (int l = 0; l < lanes; ++l) value[l] = std::sqrt(value[l]);
  return value;
}

// Lines that are not in use repeat the last one, so that nothing is divided by zero.
std::array<std::int64_t, lanes> offsets_of(const Lines& lines, int width) {
  std::array<std::int64_t, lanes> offsets;
  for (int l = 0; l < lanes; ++l)
    offsets[l] = width * (lines.first + std::min(l, lines.count - 1) * lines.next);
  return offsets;
}

template <int width>
void gather(const double* array, const Lines& lines, std::int64_t n, Vector* out,
            std::int64_t pitch) {
  const auto offsets = offsets_of(lines, width);
  auto* words = reinterpret_cast<double*>(out);
  for (std::int64_t i = 0; i < n; ++i)
    for (int l = 0; l < lanes; ++l) {
      const double* point = array + offsets[l] + i * width * lines.step;
      for (int m = 0; m < width; ++m) words[(m * pitch + i) * lanes + l] = point[m];
    }
}

}  // namespace

Bundle::Bundle(std::int64_t n, double dt)
    : n_(n), pitch_(n + 2 * margin), dt_(dt), h_(1.0 / static_cast<double>(n - 1)) {
  constexpr int rows = 5 + 6 + 5 + 5 + 5 + 2;
  memory_ = base::AlignedArray<Vector>(static_cast<std::size_t>(rows * pitch_), base::Pages::base);
  state_ = memory_.data() + margin;
  primitives_ = state_ + 5 * pitch_;
  flux_ = primitives_ + 6 * pitch_;
  diffused_ = flux_ + 5 * pitch_;
  update_ = diffused_ + 5 * pitch_;
  upper_ = update_ + 5 * pitch_;
}

Bundle& Bundle::of_thread(std::int64_t n, double dt) {
  thread_local std::optional<Bundle> own;
  if (!own || own->n_ != n || own->dt_ != dt) own.emplace(n, dt);
  return *own;
}

void Bundle::read_state(const double* state, const Lines& lines) {
  gather<components>(state, lines, n_, state_, pitch_);
}

// Rows of primitives_: 1 / density, three velocities, speed of sound, half the square of the
// velocity.
void Bundle::derive_primitives() {
  const Vector *density = state_, *energy = row(state_, 4);
  for (std::int64_t i = 0; i < n_; ++i) {
    const Vector inverse = 1.0 / density[i];
    Vector square{};
    primitives_[i] = inverse;
    for (int m = 1; m <= 3; ++m) {
      const Vector velocity = row(state_, m)[i] * inverse;
      row(primitives_, m)[i] = velocity;
      square += velocity * velocity;
    }
    const Vector half = 0.5 * square;
    row(primitives_, 5)[i] = half;
    row(primitives_, 4)[i] = root(c1c2 * inverse * (energy[i] - density[i] * half));
  }
}

void Bundle::read_primitives(const std::array<const double*, 5>& scalars, const Lines& lines) {
  for (int s = 0; s < 5; ++s) gather<1>(scalars[s], lines, n_, row(primitives_, s), pitch_);
  for (std::int64_t i = 0; i < n_; ++i) {
    Vector square{};
    for (int m = 1; m <= 3; ++m) square += row(primitives_, m)[i] * row(primitives_, m)[i];
    row(primitives_, 5)[i] = 0.5 * square;
  }
}

void Bundle::write_primitives(const std::array<double*, 5>& scalars, const Lines& lines) const {
  for (int s = 0; s < 5; ++s)
    for (std::int64_t i = 0; i < n_; ++i)
      for (int l = 0; l < lines.count; ++l)
        scalars[s][lines.first + l * lines.next + i * lines.step] = row(primitives_, s)[i][l];
}

// d/dx (-F) + second differences of the diffused quantities - fourth differences. With V the
// velocity along the axis, q half the square of the velocity, p = c2 (E - rho q):
//   F = (rho V, rho u_k V + p delta_kd, (E + p) V)
//   diffused = D U + c3 c4 (0, u_k (1 + delta_kd / 3), (1 - c1 c5) q + V^2 / 6 + c1 c5 E / rho)
void Bundle::differences(Axis axis, const double* base, double* result, double factor,
                         const Lines& lines) {
  const double second = 1.0 / (h_ * h_), first = 0.5 / h_;
  const double viscous = c3c4 * second, diffusive = diffusion[axis] * second;
  const int normal = 1 + axis;
  const Vector *density = state_, *energy = row(state_, 4);
  for (std::int64_t i = 0; i < n_; ++i) {
    const Vector velocity = row(primitives_, normal)[i], half = row(primitives_, 5)[i];
    const Vector pressure = c2 * (energy[i] - density[i] * half);
    flux_[i] = first * row(state_, normal)[i];
    diffused_[i] = diffusive * density[i];
    for (int m = 1; m <= 3; ++m) {
      const Vector momentum = row(state_, m)[i];
      Vector flux = momentum * velocity;
      double share = viscous;
      if (m == normal) {
        flux += pressure;
        share *= 4.0 / 3.0;
      }
      row(flux_, m)[i] = first * flux;
      row(diffused_, m)[i] = diffusive * momentum + share * row(primitives_, m)[i];
    }
    row(flux_, 4)[i] = first * (energy[i] + pressure) * velocity;
    row(diffused_, 4)[i] =
        diffusive * energy[i] + viscous * ((1.0 - c1c5) * half + velocity * velocity * (1.0 / 6.0) +
                                           c1c5 * energy[i] * primitives_[i]);
  }
  const auto in = offsets_of(lines, components);
  for (int m = 0; m < components; ++m) {
    // Without boundary values, and odd about the boundary: the fourth differences next to it are
    // (5, -4, 1) and (-4, 6, -4, 1).
    Vector* damped = row(state_, m);
    damped[0] = damped[n_ - 1] = Vector{};
    damped[-1] = -damped[1];
    damped[n_] = -damped[n_ - 2];
    const Vector *flux = row(flux_, m), *diffused = row(diffused_, m);
    Vector* sum = row(update_, m);
    for (std::int64_t i = 1; i < n_ - 1; ++i)
      sum[i] = diffused[i + 1] - 2.0 * diffused[i] + diffused[i - 1] - flux[i + 1] + flux[i - 1] -
               third_damping * (6.0 * damped[i] - 4.0 * (damped[i + 1] + damped[i - 1]) +
                                damped[i + 2] + damped[i - 2]);
  }
  for (std::int64_t i = 1; i < n_ - 1; ++i)
    for (int l = 0; l < lines.count; ++l) {
      const std::int64_t at = in[l] + i * components * lines.step;
      for (int m = 0; m < components; ++m)
        result[at + m] = factor * (base[at + m] + row(update_, m)[i][l]);
    }
}

// To the eigenvectors of the x direction, scaled: the first row carries entropy, the next two
// shear, the last two sound.
void Bundle::into_eigenvectors() {
  for (std::int64_t i = 1; i < n_ - 1; ++i) {
    const Vector inverse = primitives_[i], u = row(primitives_, 1)[i], v = row(primitives_, 2)[i],
                 w = row(primitives_, 3)[i], sound = row(primitives_, 4)[i],
                 half = row(primitives_, 5)[i];
    const Vector r0 = update_[i], r1 = row(update_, 1)[i], r2 = row(update_, 2)[i],
                 r3 = row(update_, 3)[i], r4 = row(update_, 4)[i];
    const Vector pressure = c2 / (sound * sound) * (half * r0 - u * r1 - v * r2 - w * r3 + r4);
    const Vector scale = root_half * inverse;
    const Vector velocity = scale * (u * r0 - r1), wave = scale * sound * pressure;
    update_[i] = r0 - pressure;
    row(update_, 1)[i] = -inverse * (w * r0 - r3);
    row(update_, 2)[i] = inverse * (v * r0 - r2);
    row(update_, 3)[i] = wave - velocity;
    row(update_, 4)[i] = wave + velocity;
  }
}

// From the eigenvectors of a direction to those of the next one; from those of z to the components.
void Bundle::out_of_eigenvectors(Axis axis) {
  Vector *a = update_, *b = row(update_, 1), *c = row(update_, 2), *d = row(update_, 3),
         *e = row(update_, 4);
  for (std::int64_t i = 1; i < n_ - 1; ++i) {
    const Vector r0 = a[i], r1 = b[i], r2 = c[i], r3 = d[i], r4 = e[i];
    const Vector mean = 0.5 * (r3 + r4), half_difference = root_half * (r3 - r4);
    if (axis == along_x) {
      const Vector t = root_half * r2;
      a[i] = -r1;
      b[i] = r0;
      c[i] = half_difference;
      d[i] = mean - t;
      e[i] = mean + t;
    } else if (axis == along_y) {
      const Vector t = root_half * r0;
      a[i] = half_difference;
      b[i] = -r2;
      c[i] = r1;
      d[i] = mean - t;
      e[i] = mean + t;
    } else {
      const Vector u = row(primitives_, 1)[i], v = row(primitives_, 2)[i],
                   w = row(primitives_, 3)[i], sound = row(primitives_, 4)[i],
                   half = row(primitives_, 5)[i];
      const Vector density = 1.0 / primitives_[i];
      const Vector scale = root_half * density;
      const Vector pressure = scale / sound * (r3 + r4), along = scale * (r3 - r4);
      const Vector mass = r2 + pressure;
      a[i] = mass;
      b[i] = u * mass - density * r1;
      c[i] = v * mass + density * r0;
      d[i] = w * mass + along;
      e[i] = density * (v * r0 - u * r1) + half * mass + sound * sound / c2 * pressure + w * along;
    }
  }
}

// I + dt (first differences of the eigenvalue - second differences of D + c1 c5 nu + fourth
// differences) for the rows first ... last, whose eigenvalue is V + sign c. Elimination keeps the
// two upper diagonals of the rows divided by their pivots.
void Bundle::pentadiagonal(Axis axis, double sign, int first, int last) {
  const double one = dt_ / (h_ * h_), half = 0.5 * dt_ / h_, fourth = dt_ * third_damping;
  const Vector *velocity = row(primitives_, 1 + axis), *sound = row(primitives_, 4),
               *inverse = primitives_;
  const auto eigenvalue = [&](std::int64_t i) { return half * (velocity[i] + sign * sound[i]); };
  // The largest of the viscous coefficients is the energy's: c1 c5 > 4 / 3.
  const auto diffused = [&](std::int64_t i) {
    return one * (diffusion[axis] + c1c5 * c3c4 * inverse[i]);
  };
  Vector *near = upper_, *far = upper_ + pitch_;
  near[0] = near[-1] = far[0] = far[-1] = Vector{};
  for (int m = first; m <= last; ++m) row(update_, m)[0] = row(update_, m)[-1] = Vector{};
  for (std::int64_t i = 1; i < n_ - 1; ++i) {
    const bool edge = i == 1 || i == n_ - 2;
    const Vector below = -eigenvalue(i - 1) - diffused(i - 1) - 4.0 * fourth;
    const Vector middle = 1.0 + 2.0 * diffused(i) + (edge ? 5.0 : 6.0) * fourth;
    const Vector above = eigenvalue(i + 1) - diffused(i + 1) - 4.0 * fourth;
    const Vector left = below - fourth * near[i - 2];
    const Vector pivot = 1.0 / (middle - fourth * far[i - 2] - left * near[i - 1]);
    near[i] = (above - left * far[i - 1]) * pivot;
    far[i] = fourth * pivot;
    for (int m = first; m <= last; ++m) {
      Vector* r = row(update_, m);
      r[i] = (r[i] - fourth * r[i - 2] - left * r[i - 1]) * pivot;
    }
  }
  for (int m = first; m <= last; ++m) row(update_, m)[n_ - 1] = row(update_, m)[n_] = Vector{};
  for (std::int64_t i = n_ - 3; i > 0; --i)
    for (int m = first; m <= last; ++m) {
      Vector* r = row(update_, m);
      r[i] -= near[i] * r[i + 1] + far[i] * r[i + 2];
    }
}

void Bundle::solve(Axis axis, double* update, double* state, const Lines& lines) {
  gather<components>(update, lines, n_, update_, pitch_);
  if (axis == along_x) into_eigenvectors();
  pentadiagonal(axis, 0.0, 0, 2);
  pentadiagonal(axis, 1.0, 3, 3);
  pentadiagonal(axis, -1.0, 4, 4);
  out_of_eigenvectors(axis);
  const auto offsets = offsets_of(lines, components);
  for (std::int64_t i = 1; i < n_ - 1; ++i)
    for (int l = 0; l < lines.count; ++l) {
      const std::int64_t at = offsets[l] + i * components * lines.step;
      for (int m = 0; m < components; ++m) {
        const double value = row(update_, m)[i][l];
        if (state)
          state[at + m] += value;
        else
          update[at + m] = value;
      }
    }
}

}  // namespace hakaru::apps::sp
