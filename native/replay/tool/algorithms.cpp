#include "native/replay/tool/algorithms.hpp"

#include "native/replay/engine/collectives/algorithm.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

namespace {

using nlohmann::json;

json settings(const Algorithm& one) {
  json list = json::array();
  for (const OpenMpi& setting : one.openmpi)
    if (setting.number != 0)
      list.push_back({{"number", setting.number},
                      {"name", setting.name != nullptr ? setting.name : one.name}});
  return list;
}

}  // namespace

json algorithms_json() {
  json list = json::array();
  for (int kind = 0; kind < schedule::collectives; ++kind) {
    const auto what = static_cast<schedule::Collective>(kind);
    for (const Algorithm& one : algorithms(what))
      list.push_back({{"collective", schedule::name_of(what)},
                      {"mpi_name", mpi_name(what)},
                      {"name", one.name},
                      {"about", one.about},
                      {"openmpi", settings(one)},
                      {"mpich", one.mpich != nullptr ? json(one.mpich) : json()}});
  }
  return list;
}

}  // namespace hakaru::replay
