// The order of a repetition, said once: the solver does these steps, the schedule writes them.
#pragma once

#include "apps/ft/problem.hpp"
#include "apps/ft/route.hpp"

namespace hakaru::apps::ft {

// home: planes of z, where fields begin and end. scratch: planes of x (published style only).
// spectrum, evolved: planes of y.
enum class Array : int { home, scratch, spectrum, evolved };
inline constexpr int arrays = 4;

inline Slab slab_of(const Plan& plan, Array array) {
  const Axis axis = array == Array::home ? along_z : array == Array::scratch ? along_x : along_y;
  return divided(plan.grid, axis, plan.ranks);
}
// A single rank in direct style needs no array at home: nothing has to move.
inline bool used(const Plan& plan, Array array) {
  if (plan.style == Style::published) return true;
  return array == Array::home ? plan.ranks > 1 : array != Array::scratch;
}

enum class Direction { forward, inverse };

template <typename Machine>
void forward_transform(const Plan& plan, Machine& machine) {
  const auto transform = [&](Array array, Axis axis) {
    machine.transform(array, axis, Direction::forward);
  };
  if (plan.style == Style::published) {
    transform(Array::home, along_x);
    machine.fetch(Array::home, Array::scratch);
    transform(Array::scratch, along_y);
    machine.move(Array::scratch, Array::home);
    machine.move(Array::home, Array::scratch);
    transform(Array::scratch, along_z);
    machine.move(Array::scratch, Array::spectrum);
    return;
  }
  const Array first = plan.ranks > 1 ? Array::home : Array::spectrum;
  transform(first, along_x);
  transform(first, along_y);
  if (plan.ranks > 1) machine.move(Array::home, Array::spectrum);
  transform(Array::spectrum, along_z);
}

// Where the field is afterwards.
template <typename Machine>
Array inverse_transform(const Plan& plan, Machine& machine) {
  const auto transform = [&](Array array, Axis axis) {
    machine.transform(array, axis, Direction::inverse);
  };
  if (plan.style == Style::published) {
    machine.move(Array::evolved, Array::scratch);
    transform(Array::scratch, along_z);
    machine.move(Array::scratch, Array::home);
    machine.move(Array::home, Array::scratch);
    transform(Array::scratch, along_y);
    machine.move(Array::scratch, Array::home);
    transform(Array::home, along_x);
    return Array::home;
  }
  const Array last = plan.ranks > 1 ? Array::home : Array::evolved;
  transform(Array::evolved, along_z);
  if (plan.ranks > 1) machine.move(Array::evolved, Array::home);
  transform(last, along_y);
  transform(last, along_x);
  return last;
}

template <typename Machine>
void repetition(const Plan& plan, Machine& machine) {
  const bool single = plan.style == Style::direct && plan.ranks == 1;
  machine.initial_values(single ? Array::spectrum : Array::home);
  machine.exponents();
  if (plan.style == Style::published) {
    machine.clear(Array::scratch);
    machine.clear(Array::evolved);
  }
  forward_transform(plan, machine);
  machine.repeat(plan.iterations, [&](std::int64_t t) {
    machine.evolve(t);
    machine.checksum(t, inverse_transform(plan, machine));
  });
}

}  // namespace hakaru::apps::ft
