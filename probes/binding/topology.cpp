#include "probes/binding/topology.hpp"

#include <fmt/format.h>

#include <climits>
#include <memory>

#include "native/base/require.hpp"

namespace hakaru::probes::binding {

namespace {

struct FreeBitmap {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

Bitmap make_bitmap() { return Bitmap(hwloc_bitmap_alloc()); }

Processors members(hwloc_const_bitmap_t bitmap) {
  Processors found;
  for (int i = hwloc_bitmap_first(bitmap); i >= 0; i = hwloc_bitmap_next(bitmap, i))
    found.push_back(i);
  return found;
}

}  // namespace

const char* name_of(Policy policy) {
  switch (policy) {
    case Policy::none:
      return "none";
    case Policy::compact:
      return "compact";
    case Policy::scatter:
      return "scatter";
    case Policy::node_rank:
      break;
  }
  return "node_rank";
}

std::string words(const Processors& processors) {
  return fmt::format("{}", fmt::join(processors, " "));
}

Topology::Topology() {
  hwloc_topology_init(&topology_);
  load();
}

Topology::Topology(const std::string& synthetic) {
  hwloc_topology_init(&topology_);
  base::require(hwloc_topology_set_synthetic(topology_, synthetic.c_str()) == 0,
                "the machine '" + synthetic + "' is not understood",
                "hwloc does not know this description", "write it as package:2 core:4 pu:2");
  load();
}

void Topology::load() {
  base::require_environment(hwloc_topology_load(topology_) == 0 && processors() > 0,
                            "the processors of this node are not known",
                            "hwloc cannot load its topology", "run hwloc-ls, which tells more");
}

Topology::~Topology() { hwloc_topology_destroy(topology_); }

int Topology::processors() const { return hwloc_get_nbobjs_by_type(topology_, HWLOC_OBJ_PU); }

int Topology::cores() const { return hwloc_get_nbobjs_by_type(topology_, HWLOC_OBJ_CORE); }

Processors Topology::chosen(Policy policy, int local_rank, int local_ranks) const {
  if (policy == Policy::compact || (policy == Policy::node_rank && cores() <= 0))
    return members(
        hwloc_get_obj_by_type(topology_, HWLOC_OBJ_PU, local_rank % processors())->cpuset);
  if (policy == Policy::node_rank)
    return members(hwloc_get_obj_by_type(topology_, HWLOC_OBJ_CORE, local_rank % cores())->cpuset);
  if (policy == Policy::none) return members(hwloc_topology_get_allowed_cpuset(topology_));
  std::vector<hwloc_cpuset_t> sets(static_cast<std::size_t>(local_ranks), nullptr);
  hwloc_obj_t root = hwloc_get_root_obj(topology_);
  hwloc_distrib(topology_, &root, 1, sets.data(), static_cast<unsigned>(local_ranks), INT_MAX, 0);
  hwloc_bitmap_singlify(sets[static_cast<std::size_t>(local_rank)]);
  const Processors found = members(sets[static_cast<std::size_t>(local_rank)]);
  for (hwloc_cpuset_t set : sets) hwloc_bitmap_free(set);
  return found;
}

int Topology::core_of(int processor) const {
  for (int core = 0; core < cores(); ++core)
    if (hwloc_bitmap_isset(hwloc_get_obj_by_type(topology_, HWLOC_OBJ_CORE, core)->cpuset,
                           static_cast<unsigned>(processor)))
      return core;
  return -1;
}

bool Topology::bind(const Processors& processors) const {
  const Bitmap set = make_bitmap();
  for (const int processor : processors)
    hwloc_bitmap_set(set.get(), static_cast<unsigned>(processor));
  return hwloc_set_cpubind(topology_, set.get(), HWLOC_CPUBIND_THREAD) == 0;
}

Processors Topology::bound() const {
  const Bitmap set = make_bitmap();
  hwloc_get_cpubind(topology_, set.get(), HWLOC_CPUBIND_THREAD);
  return members(set.get());
}

int Topology::seen() const {
  const Bitmap set = make_bitmap();
  hwloc_get_last_cpu_location(topology_, set.get(), HWLOC_CPUBIND_THREAD);
  return hwloc_bitmap_first(set.get());
}

}  // namespace hakaru::probes::binding
