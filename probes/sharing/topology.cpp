#include "probes/sharing/topology.hpp"

#include <algorithm>
#include <set>

#include "native/base/require.hpp"

namespace hakaru::probes::sharing {
namespace {

std::string name_of(hwloc_obj_t object) {
  switch (object->type) {
    case HWLOC_OBJ_CORE:
    case HWLOC_OBJ_PU:
      return "core";
    case HWLOC_OBJ_L1CACHE:
      return "L1";
    case HWLOC_OBJ_L2CACHE:
      return "L2";
    case HWLOC_OBJ_L3CACHE:
      return "L3";
    case HWLOC_OBJ_L4CACHE:
      return "L4";
    case HWLOC_OBJ_PACKAGE:
      return "package";
    case HWLOC_OBJ_DIE:
      return "die";
    case HWLOC_OBJ_MACHINE:
      return "machine";
    default:
      return "group";
  }
}

}  // namespace

Topology::Topology(const std::string& synthetic) {
  hwloc_topology_t made = nullptr;
  bool read = hwloc_topology_init(&made) == 0;
  topology_.reset(made);
  if (read && !synthetic.empty()) read = hwloc_topology_set_synthetic(made, synthetic.c_str()) == 0;
  base::require_environment(read && hwloc_topology_load(made) == 0, "the topology cannot be read",
                            "hwloc refused it", "see whether lstopo shows it");
}

std::string Topology::shared_by(int first, int second) const {
  hwloc_obj_t one = hwloc_get_pu_obj_by_os_index(get(), static_cast<unsigned>(first));
  hwloc_obj_t other = hwloc_get_pu_obj_by_os_index(get(), static_cast<unsigned>(second));
  if (!one || !other) return "machine";
  hwloc_obj_t common = hwloc_get_common_ancestor_obj(get(), one, other);
  if (common->type == HWLOC_OBJ_MACHINE || common->type == HWLOC_OBJ_PACKAGE ||
      common->type == HWLOC_OBJ_GROUP) {
    // Two memory nodes of a package are further apart than two cores of a node.
    const int node = node_of(first);
    if (node >= 0 && node == node_of(second) && nodes().size() > 1) return "node";
  }
  return name_of(common);
}

std::vector<int> Topology::nodes() const {
  std::vector<int> found;
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(get(), HWLOC_OBJ_NUMANODE, node)) != nullptr;)
    found.push_back(static_cast<int>(node->os_index));
  return found;
}

std::string Topology::kind_of(int node) const {
  hwloc_obj_t object = hwloc_get_numanode_obj_by_os_index(get(), static_cast<unsigned>(node));
  if (!object || !object->subtype) return "memory";
  return object->subtype;
}

int Topology::node_of(int processor) const {
  for (int node : nodes()) {
    hwloc_obj_t object = hwloc_get_numanode_obj_by_os_index(get(), static_cast<unsigned>(node));
    if (object->cpuset && hwloc_bitmap_isset(object->cpuset, static_cast<unsigned>(processor)))
      return node;
  }
  return -1;
}

std::vector<CorePair> pairs_of(const Topology& topology, const std::vector<int>& processors,
                               std::size_t most) {
  std::vector<CorePair> pairs;
  for (std::size_t i = 0; i < processors.size(); ++i)
    for (std::size_t j = i + 1; j < processors.size() && pairs.size() < most; ++j)
      pairs.push_back(
          {processors[i], processors[j], topology.shared_by(processors[i], processors[j])});
  return pairs;
}

std::vector<CorePair> one_of_each_kind(const std::vector<CorePair>& pairs) {
  std::vector<CorePair> found;
  for (const CorePair& pair : pairs)
    if (std::none_of(found.begin(), found.end(),
                     [&](const CorePair& other) { return other.shares == pair.shares; }))
      found.push_back(pair);
  return found;
}

std::vector<int> one_of_each_node(const Topology& topology, const std::vector<int>& processors) {
  std::set<int> seen;
  std::vector<int> found;
  for (int processor : processors)
    if (seen.insert(topology.node_of(processor)).second) found.push_back(processor);
  return found;
}

}  // namespace hakaru::probes::sharing
