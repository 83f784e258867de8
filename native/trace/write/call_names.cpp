#include "native/trace/write/call_names.hpp"

namespace hakaru::trace {
namespace {

using schedule::Collective;
using schedule::Kind;
using schedule::Mode;
using schedule::Operation;

const char* letter(Mode mode) {
  switch (mode) {
    case Mode::buffered:
      return "b";
    case Mode::synchronous:
      return "s";
    case Mode::ready:
      return "r";
    default:
      return "";
  }
}

// "MPI_Send", "MPI_Ssend", "MPI_Irsend".
std::string sends(const Operation& o) {
  const std::string begin = o.kind == Kind::isend ? "i" : "";
  std::string name = begin + letter(o.mode) + "send";
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return "MPI_" + name;
}

std::string collective(const Operation& o) {
  const bool lengths = o.payload >= 0;
  const auto name = [&]() -> std::string {
    switch (o.collective) {
      case Collective::barrier:
        return "barrier";
      case Collective::broadcast:
        return "bcast";
      case Collective::reduce:
        return "reduce";
      case Collective::allreduce:
        return "allreduce";
      case Collective::gather:
        return lengths ? "gatherv" : "gather";
      case Collective::scatter:
        return lengths ? "scatterv" : "scatter";
      case Collective::allgather:
        return lengths ? "allgatherv" : "allgather";
      case Collective::alltoall:
        return lengths ? "alltoallv" : "alltoall";
      case Collective::reduce_scatter:
        return "reduce_scatter";
      case Collective::scan:
        return "scan";
      case Collective::exclusive_scan:
        return "exscan";
      case Collective::neighbour_exchange:
        return "neighbor_alltoallv";
    }
    return "barrier";
  };
  std::string whole = (o.request >= 0 ? "i" : "") + name();
  whole[0] = static_cast<char>(whole[0] - 'a' + 'A');
  return "MPI_" + whole;
}

std::string one_sided(const Operation& o) {
  const bool all = o.peer < 0, local = o.mode == Mode::local, request = o.request >= 0;
  switch (o.kind) {
    case Kind::put:
      return request ? "MPI_Rput" : "MPI_Put";
    case Kind::get:
      return request ? "MPI_Rget" : "MPI_Get";
    case Kind::accumulate:
      return request ? "MPI_Raccumulate" : "MPI_Accumulate";
    case Kind::fence:
      return "MPI_Win_fence";
    case Kind::post:
      return "MPI_Win_post";
    case Kind::start:
      return "MPI_Win_start";
    case Kind::complete:
      return "MPI_Win_complete";
    case Kind::wait_exposure:
      return "MPI_Win_wait";
    case Kind::lock:
      return all ? "MPI_Win_lock_all" : "MPI_Win_lock";
    case Kind::unlock:
      return all ? "MPI_Win_unlock_all" : "MPI_Win_unlock";
    case Kind::flush:
      return std::string("MPI_Win_flush") + (local ? "_local" : "") + (all ? "_all" : "");
    default:
      return "MPI_Pcontrol";  // waits for flags, as the tracer tells them
  }
}

}  // namespace

std::string call_name(const Operation& o) {
  const bool together = o.mode == Mode::collective;
  switch (o.kind) {
    case Kind::compute:
    case Kind::fork:
    case Kind::phase_begin:
    case Kind::phase_end:
    case Kind::loop_begin:
    case Kind::loop_end:
      return "";
    case Kind::send:
    case Kind::isend:
      return sends(o);
    case Kind::receive:
      return "MPI_Recv";
    case Kind::ireceive:
      return "MPI_Irecv";
    case Kind::probe:
      return "MPI_Probe";
    case Kind::wait:
      return "MPI_Wait";
    case Kind::collective:
      return collective(o);
    case Kind::file_read:
      return together ? "MPI_File_read_all" : "MPI_File_read";
    case Kind::file_write:
      return together ? "MPI_File_write_all" : "MPI_File_write";
    case Kind::file_open:
      return "MPI_File_open";
    case Kind::file_close:
      return "MPI_File_close";
    default:
      return one_sided(o);
  }
}

}  // namespace hakaru::trace
