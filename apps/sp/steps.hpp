// The order of a repetition, said once: the solver does these steps, the schedule writes them.
#pragma once

#include "apps/sp/slab.hpp"

namespace hakaru::apps::sp {

// Where arrays lie: home divided along z; turned along x (published style only); crossed along y.
enum class Layout : int { home, turned, crossed };
inline constexpr int layouts = 3;

// state: 5 components; update: 5 components, the right-hand side that becomes the update; forcing:
// 5, at home only; inverse_density ... sound: scalars, published style only.
enum class Array : int { state, update, forcing, inverse_density, u, v, w, sound };
inline constexpr int arrays = 8;
inline constexpr Array scalars[] = {Array::inverse_density, Array::u, Array::v, Array::w,
                                    Array::sound};

inline int width(Array array) { return array < Array::inverse_density ? components : 1; }
inline Slab slab_of(const Plan& plan, Layout layout) {
  const Axis axis = layout == Layout::home ? along_z : layout == Layout::turned ? along_x : along_y;
  return divided(plan.n, axis, plan.ranks);
}
// With one rank, direct style works on the arrays at home in all directions.
inline bool used(const Plan& plan, Layout layout, Array array) {
  if (array == Array::forcing) return layout == Layout::home;
  if (plan.style == Style::published) return true;
  if (array >= Array::inverse_density || layout == Layout::turned) return false;
  return layout == Layout::home || plan.ranks > 1;
}
// The layout in which a direction is worked on.
inline Layout layout_of(const Plan& plan, Axis axis) {
  if (plan.style == Style::direct)
    return axis == along_z && plan.ranks > 1 ? Layout::crossed : Layout::home;
  return static_cast<Layout>(axis);
}

// How the lines of a direction lie there. One rank may call its arrays at home divided along y.
inline Slab slab_of_lines(const Plan& plan, Axis axis) {
  const bool alone = plan.style == Style::direct && axis == along_z;
  return slab_of(plan, alone ? Layout::crossed : layout_of(plan, axis));
}

// The update becomes dt (forcing + spatial operator); at the end it lies where x is worked on.
template <typename Machine>
void right_hand_side(const Plan& plan, Machine& machine) {
  const auto follow = [&](Layout from, Layout to) {
    if (from != to) machine.move(Array::update, from, to);
  };
  if (plan.style == Style::published) {
    machine.primitives();
    for (const Layout to : {Layout::turned, Layout::crossed}) {
      machine.move(Array::state, Layout::home, to);
      for (const Array scalar : scalars) machine.move(scalar, Layout::home, to);
    }
  }
  Layout at = Layout::home;
  for (const Axis axis : {along_x, along_y, along_z}) {
    follow(at, layout_of(plan, axis));
    at = layout_of(plan, axis);
    machine.differences(axis);
  }
  follow(at, Layout::home);
}

template <typename Machine>
void iteration(const Plan& plan, Machine& machine) {
  right_hand_side(plan, machine);
  Layout at = Layout::home;
  for (const Axis axis : {along_x, along_y, along_z}) {
    if (layout_of(plan, axis) != at) machine.move(Array::update, at, layout_of(plan, axis));
    at = layout_of(plan, axis);
    machine.solve(axis);
  }
  // Direct style has added the update in the last solve, which leaves the state to be brought home.
  if (plan.style == Style::published) {
    machine.move(Array::update, at, Layout::home);
    machine.add();
  } else if (at != Layout::home) {
    machine.move(Array::state, at, Layout::home);
  }
}

template <typename Machine>
void repetition(const Plan& plan, Machine& machine) {
  machine.reset();
  machine.repeat(plan.iterations, [&] { iteration(plan, machine); });
  machine.error_norm();
}

}  // namespace hakaru::apps::sp
