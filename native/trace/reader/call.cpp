#include "native/trace/reader/call.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace hakaru::trace {
namespace {

using schedule::Mode;

struct Named {
  std::string_view name;
  Call call;
};

constexpr std::array calls = {
    Named{"MPI_Sendrecv", {CallKind::send_receive}},
    Named{"MPI_Sendrecv_replace", {CallKind::send_receive}},
    Named{"MPI_Init", {CallKind::environment}},
    Named{"MPI_Init_thread", {CallKind::environment}},
    Named{"MPI_Finalize", {CallKind::environment}},
    Named{"MPI_Test", {CallKind::test}},
    Named{"MPI_Testany", {CallKind::test}},
    Named{"MPI_Testsome", {CallKind::test}},
    Named{"MPI_Testall", {CallKind::test}},
    Named{"MPI_Request_get_status", {CallKind::test}},
    Named{"MPI_Iprobe", {CallKind::test}},
    Named{"MPI_Improbe", {CallKind::test}},
    Named{"MPI_Pack", {CallKind::local}},
    Named{"MPI_Unpack", {CallKind::local}},
    Named{"MPI_Pack_external", {CallKind::local}},
    Named{"MPI_Unpack_external", {CallKind::local}},
    Named{"MPI_Ssend", {CallKind::other, Mode::synchronous}},
    Named{"MPI_Issend", {CallKind::other, Mode::synchronous}},
    Named{"MPI_Bsend", {CallKind::other, Mode::buffered}},
    Named{"MPI_Ibsend", {CallKind::other, Mode::buffered}},
    Named{"MPI_Rsend", {CallKind::other, Mode::ready}},
    Named{"MPI_Irsend", {CallKind::other, Mode::ready}},
    Named{"MPI_Win_fence", {CallKind::fence}},
    Named{"MPI_Win_start", {CallKind::start}},
    Named{"MPI_Win_post", {CallKind::post}},
    Named{"MPI_Win_complete", {CallKind::complete}},
    Named{"MPI_Win_wait", {CallKind::wait_exposure}},
    Named{"MPI_Win_test", {CallKind::test}},
    Named{"MPI_Win_lock", {CallKind::lock}},
    Named{"MPI_Win_lock_all", {CallKind::lock, Mode::standard, true}},
    Named{"MPI_Win_unlock", {CallKind::unlock}},
    Named{"MPI_Win_unlock_all", {CallKind::unlock, Mode::standard, true}},
    Named{"MPI_Win_flush", {CallKind::flush}},
    Named{"MPI_Win_flush_all", {CallKind::flush, Mode::standard, true}},
    Named{"MPI_Win_flush_local", {CallKind::flush, Mode::local}},
    Named{"MPI_Win_flush_local_all", {CallKind::flush, Mode::local, true}},
    // What tells of PUT and GET; of these only the acknowledgement holds a synchronisation.
    Named{"MPI_Pcontrol", {CallKind::flush, Mode::standard, true}},
    Named{"MPI_Rput", {CallKind::request_rma}},
    Named{"MPI_Rget", {CallKind::request_rma}},
    Named{"MPI_Raccumulate", {CallKind::request_rma}},
    Named{"MPI_Rget_accumulate", {CallKind::request_rma}},
};

}  // namespace

Call classify(std::string_view name) {
  if (name.ends_with("()")) name.remove_suffix(2);
  if (name.ends_with("_c")) name.remove_suffix(2);
  const auto found = std::find_if(calls.begin(), calls.end(),
                                  [&](const Named& named) { return named.name == name; });
  if (found != calls.end()) return found->call;
  if (name.starts_with("MPI_Neighbor_") || name.starts_with("MPI_Ineighbor_"))
    return {CallKind::neighbour};
  if (name.starts_with("MPI_Isendrecv")) return {CallKind::send_receive};
  return {};
}

}  // namespace hakaru::trace
