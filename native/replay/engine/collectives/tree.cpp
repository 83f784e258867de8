// Trees of ranks. Ranks are counted from the root: v = (rank - root) mod size.
#include <algorithm>

#include "native/replay/engine/collectives/algorithm.hpp"

namespace hakaru::replay::collectives {

namespace {

struct Place {
  std::int32_t parent = -1;     // -1: the root
  std::int32_t first_mask = 0;  // radix trees: distance of the farthest children's level
};

std::int32_t radix_of(Tree tree) { return tree == Tree::four_nomial ? 4 : 2; }

// Radix-r tree: v hangs below v with its lowest non-zero digit (base r) cleared; its children
// differ in a lower digit.
Place radix_place(std::int32_t v, std::int32_t size, std::int32_t radix) {
  std::int64_t mask = 1;
  while (mask < size) {
    if (v % (radix * mask) != 0)
      return {static_cast<std::int32_t>(v / (radix * mask) * (radix * mask)),
              static_cast<std::int32_t>(mask / radix)};
    mask *= radix;
  }
  return {-1, static_cast<std::int32_t>(mask / radix)};
}

std::int32_t parent_of(Tree tree, std::int32_t v, std::int32_t size) {
  if (v == 0) return -1;
  switch (tree) {
    case Tree::linear:
      return 0;
    case Tree::chain:
      return v - 1;
    case Tree::binary:
      return (v - 1) / 2;
    case Tree::binomial:
    case Tree::four_nomial:
      return radix_place(v, size, radix_of(tree)).parent;
  }
  return -1;
}

// Number of places for children, of which some may be empty.
std::uint32_t places(Tree tree, std::int32_t v, std::int32_t size) {
  switch (tree) {
    case Tree::linear:
      return v == 0 ? static_cast<std::uint32_t>(size - 1) : 0;
    case Tree::chain:
      return 1;
    case Tree::binary:
      return 2;
    case Tree::binomial:
    case Tree::four_nomial: {
      const std::int32_t radix = radix_of(tree);
      std::uint32_t levels = 0;
      for (std::int32_t m = radix_place(v, size, radix).first_mask; m > 0; m /= radix) ++levels;
      return levels * static_cast<std::uint32_t>(radix - 1);
    }
  }
  return 0;
}

// The child in a place, farthest level first, or -1.
std::int32_t child_of(Tree tree, std::int32_t v, std::int32_t size, std::uint32_t place) {
  std::int64_t child = -1;
  const auto index = static_cast<std::int32_t>(place);
  switch (tree) {
    case Tree::linear:
      child = index + 1;
      break;
    case Tree::chain:
      child = v + 1;
      break;
    case Tree::binary:
      child = 2LL * v + 1 + index;
      break;
    case Tree::binomial:
    case Tree::four_nomial: {
      const std::int32_t radix = radix_of(tree);
      std::int32_t mask = radix_place(v, size, radix).first_mask;
      for (std::int32_t level = index / (radix - 1); level > 0; --level) mask /= radix;
      child = v + static_cast<std::int64_t>(mask) * (index % (radix - 1) + 1);
    }
  }
  return child < size ? static_cast<std::int32_t>(child) : -1;
}

}  // namespace

std::uint32_t tree_steps(Tree tree, std::int32_t size) {
  std::uint32_t most = 0;
  if (tree == Tree::linear) most = static_cast<std::uint32_t>(size - 1);
  if (tree == Tree::chain) most = 1;
  if (tree == Tree::binary) most = 2;
  if (tree == Tree::binomial) most = ceiling_log2(size);
  if (tree == Tree::four_nomial) most = 3 * ((ceiling_log2(size) + 1) / 2);
  return most + 1;
}

bool from_root(Tree tree, const Call& call, std::uint32_t step, Exchange& exchange,
               std::uint64_t bytes) {
  const std::int32_t v = around(call.rank - call.root, call.size);
  if (step == 0) {
    const std::int32_t parent = parent_of(tree, v, call.size);
    if (parent >= 0) exchange.receive_from = around(parent + call.root, call.size);
    return true;
  }
  if (step > places(tree, v, call.size)) return false;
  const std::int32_t child = child_of(tree, v, call.size, step - 1);
  if (child >= 0) exchange.send_to = around(child + call.root, call.size);
  exchange.send_bytes = bytes;
  exchange.hold_send = false;
  return true;
}

bool to_root(Tree tree, const Call& call, std::uint32_t step, Exchange& exchange,
             std::uint64_t bytes, std::uint64_t reduce_bytes) {
  const std::int32_t v = around(call.rank - call.root, call.size);
  const std::uint32_t children = places(tree, v, call.size);
  if (step < children) {
    const std::int32_t child = child_of(tree, v, call.size, children - 1 - step);
    if (child >= 0) {
      exchange.receive_from = around(child + call.root, call.size);
      exchange.reduce_bytes = reduce_bytes;
    }
    return true;
  }
  if (step > children) return false;
  const std::int32_t parent = parent_of(tree, v, call.size);
  if (parent >= 0) exchange.send_to = around(parent + call.root, call.size);
  exchange.send_bytes = bytes;
  return true;
}

}  // namespace hakaru::replay::collectives
