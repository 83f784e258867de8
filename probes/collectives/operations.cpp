#include "probes/collectives/operations.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "native/base/require.hpp"
#include "native/parallel/collectives/algorithms.hpp"
#include "native/replay/engine/collectives/algorithm.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::probes::collectives {
namespace {

namespace named = parallel::collectives;

template <typename Function>
Function find(std::span<const named::Named<Function>> list, const std::string& name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&name](const auto& one) { return name == one.name; });
  base::require(found != list.end(), "there is no algorithm '" + name + "'");
  return found->run;
}

template <typename Function>
void append(std::vector<std::string>& names, std::span<const named::Named<Function>> list) {
  for (const auto& one : list) names.emplace_back(one.name);
}

}  // namespace

const std::vector<std::string>& all_collectives() {
  static const std::vector<std::string> names{"allgather", "alltoall", "allreduce", "broadcast"};
  return names;
}

std::vector<std::string> algorithms_of(const std::string& collective) {
  std::vector<std::string> names{library};
  if (collective == "allgather") append(names, named::allgathers());
  if (collective == "alltoall") append(names, named::alltoalls());
  if (collective == "allreduce") append(names, named::allreduces());
  if (collective == "broadcast") append(names, named::broadcasts());
  return names;
}

std::vector<Setting> settings_of(const std::string& collective) {
  std::vector<Setting> settings;
  for (int kind = 0; kind < schedule::collectives; ++kind) {
    const auto what = static_cast<schedule::Collective>(kind);
    if (collective != schedule::name_of(what)) continue;
    for (const std::string& name : algorithms_of(collective))
      if (const replay::Algorithm* row = replay::find_algorithm(what, name))
        if (const int number = row->openmpi.front().number; number != 0)
          settings.push_back({name, std::string("coll_tuned_") + replay::mpi_name(what) +
                                        "_algorithm=" + std::to_string(number)});
  }
  return settings;
}

Operations::Operations(const parallel::Communicator& group, std::int64_t maximum_bytes)
    : group_(group),
      out_(static_cast<std::size_t>(group.size()) * static_cast<std::size_t>(maximum_bytes) / 8),
      in_(out_.size()) {
  fill();
}

void Operations::fill() {
  for (std::size_t i = 0; i < out_.size(); ++i)
    out_[i] = static_cast<double>((i * 7 + static_cast<std::size_t>(group_.rank()) * 31) % 1009);
  std::fill(in_.begin(), in_.end(), -1.0);
}

std::size_t Operations::result_bytes(const std::string& collective, std::int64_t bytes) const {
  const bool per_rank = collective == "allgather" || collective == "alltoall";
  return static_cast<std::size_t>(bytes) * (per_rank ? static_cast<std::size_t>(group_.size()) : 1);
}

void Operations::run(const std::string& collective, const std::string& algorithm,
                     std::int64_t bytes) {
  const int count = static_cast<int>(bytes);
  const auto* out = reinterpret_cast<const std::byte*>(out_.data());
  auto* in = reinterpret_cast<std::byte*>(in_.data());
  const MPI_Comm comm = group_.handle();
  const bool own = algorithm != library;
  if (collective == "allgather") {
    if (own) return find(named::allgathers(), algorithm)(group_, out, in, bytes);
    HAKARU_MPI(MPI_Allgather(out, count, MPI_BYTE, in, count, MPI_BYTE, comm));
  } else if (collective == "alltoall") {
    if (own) return find(named::alltoalls(), algorithm)(group_, out, in, bytes);
    HAKARU_MPI(MPI_Alltoall(out, count, MPI_BYTE, in, count, MPI_BYTE, comm));
  } else if (collective == "allreduce") {
    std::memcpy(in, out, static_cast<std::size_t>(bytes));
    const std::span<double> values(in_.data(), static_cast<std::size_t>(bytes) / 8);
    if (own) return find(named::allreduces(), algorithm)(group_, values);
    HAKARU_MPI(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                             MPI_DOUBLE, MPI_SUM, comm));
  } else {
    if (group_.rank() == 0) std::memcpy(in, out, static_cast<std::size_t>(bytes));
    if (own) return find(named::broadcasts(), algorithm)(group_, in, bytes, 0);
    HAKARU_MPI(MPI_Bcast(in, count, MPI_BYTE, 0, comm));
  }
}

std::int64_t Operations::wrong(const std::string& collective, const std::string& algorithm,
                               std::int64_t bytes, bool damage) {
  const std::size_t length = result_bytes(collective, bytes);
  fill();
  run(collective, library, bytes);
  const std::vector<double> wanted = in_;
  fill();
  run(collective, algorithm, bytes);
  auto* got = reinterpret_cast<unsigned char*>(in_.data());
  const auto* right = reinterpret_cast<const unsigned char*>(wanted.data());
  if (damage && length > 0) got[length / 2] ^= 1;
  std::int64_t differing = 0;
  for (std::size_t i = 0; i < in_.size() * 8; ++i) differing += got[i] != right[i];
  return differing;
}

}  // namespace hakaru::probes::collectives
