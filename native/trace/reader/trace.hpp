// A trace that was read: the schedule of what the ranks did, and, when asked for, when they did it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "native/schedule/schedule.hpp"

namespace hakaru::trace {

inline constexpr std::uint32_t no_call = 0xffffffff;

// Polling is waiting: tests (MPI_Test and its forms, MPI_Iprobe, MPI_Improbe, MPI_Win_test) that
// fail, with less than this of anything else between one and the next, and lead to one that
// succeeds, or to the MPI_Wait for what they tested. They become the one wait or probe that their
// last test is. A turn of such a loop costs a yield or a look at other queues, up to 2 us; what
// hides a message works longer in a turn than the message takes, which is several us on the fastest
// networks. Longer pauses between tests are computing, and come before the wait, as are single
// tests between pauses, and tests that nothing ended.
inline constexpr double polling_gap_s = 5e-6;

// When an operation was done, in seconds after the start of the trace. Operations of one MPI call
// share its times; `part` counts them from 0. For compute: the span of the burst, `call` is
// no_call. (A burst's own seconds can be fewer: MPI calls that became no operation are taken out.)
struct OperationTime {
  double enter_s = 0;
  double leave_s = 0;
  std::uint32_t call = no_call;  // index into Trace::calls
  std::uint32_t part = 0;
};

// MPI calls that became no operation: local ones, failed tests, and those that a trace says nothing
// about.
struct SilentCall {
  std::uint32_t call = 0;  // index into Trace::calls
  std::uint64_t calls = 0;
  double seconds = 0;
};

// A call that made or freed a communicator or a window: when the rank was in it, and the computing
// before its barrier, to which what the call itself takes is added (making.hpp).
struct Making {
  std::uint64_t computing = 0;  // operation of the rank's stream; the barrier is the next
  double begin_s = 0, end_s = 0;
};

// Calls which the tracer counted without recording them.
struct UncoveredCall {
  std::string name;
  std::uint64_t calls = 0;
};

struct RankTrace {
  std::string host;
  double begin_s = 0, end_s = 0;  // first and last event, seconds after the start of the trace
  double initialised_s = 0;       // when MPI_Init returned; begin_s where that is not in the trace
  std::uint64_t events = 0;
  bool complete = true;
  std::string ended;      // why not complete
  std::string open_call;  // the MPI call it was in at the end, or empty
  std::uint64_t unfinished_requests = 0;
  std::uint64_t memory_bytes = 0;                      // of its own that it used; 0: not known
  std::uint64_t long_bytes = 0, large_page_bytes = 0;  // sent in long messages, and from such pages
  std::uint64_t threads = 0;                           // streams that its own forks
  double unrecorded_s = 0;                             // time for which recording was switched off
  double unrecorded_from_s = -1;                       // since when, at the end
  std::vector<SilentCall> silent;
  std::vector<OperationTime> silent_at;  // each of them; empty unless asked for
  std::vector<UncoveredCall> uncovered;
  std::vector<Making> making;  // empty unless asked for
};

struct Trace {
  schedule::Schedule schedule;  // one stream for each rank, then those that ranks fork
  bool complete = true;         // every rank reached the end of its program
  std::string creator;
  std::vector<std::string> calls;  // names of MPI calls (and of file operations outside MPI)
  std::vector<RankTrace> ranks;
  std::vector<std::vector<OperationTime>>
      times;  // by stream, parallel to it; empty unless asked for
  std::vector<std::string> warnings;

  std::uint64_t events() const {
    std::uint64_t sum = 0;
    for (const RankTrace& rank : ranks) sum += rank.events;
    return sum;
  }
};

enum class PhaseRegions : std::uint8_t { user, functions, none };

struct ReadOptions {
  PhaseRegions phases =
      PhaseRegions::user;     // which regions become phases: user's own, all functions, none
  bool times = false;         // fill Trace::times
  bool silent_times = false;  // fill RankTrace::silent_at
  // What the tracer did after calls and while it emptied its buffers is part of the computing. If
  // not, it is taken out of the bursts' seconds, as far as the trace tells (raw.h).
  bool tracing = true;
  // What the tracer did inside of calls becomes computing behind them, and for how long others had
  // the processor computing in front: for a replay of the traced run, which takes calls from a
  // machine's facts.
  bool inside = false;
  // Making or freeing communicators, windows and files becomes a barrier of those who take part.
  bool management = true;
  // And what it takes beside that becomes computing before the barrier.
  bool making = false;
  // The OTF2 library ends the process on some damaged files. In a child process that is an error
  // like any other.
  bool child_process = true;
  // That read ranks at once, of archives where it pays and can be; 0: as many as there are cores,
  // and at most four. Does not change what is read.
  std::size_t processes = 0;
};

// Reads an OTF2 archive with MPI events: its anchor file (traces.otf2) or the folder that holds it.
// Throws base::UserError (usage) for archives that are missing, damaged, inconsistent, or that hold
// what a schedule cannot say (one-sided calls while another thread of the rank calls
// MPI). A rank that ended early only clears `complete`: the caller decides.
//
// Collectives over inter-communicators become collectives inside the two groups and messages
// between them (rank_inter.cpp). Their bytes are those that the arguments describe: of gather n
// sent, and at the root (OTF2_COLLECTIVE_ROOT_SELF) n times the remote ranks received; lists hold
// one length for each remote rank. Those that do not block are counted in RankTrace::uncovered.
//
// Bytes of collectives follow Score-P (src/adapters/mpi, scorep_mpi_coll_bytes): with N ranks and a
// block of b bytes, allgather, alltoall and allreduce send and receive N b, broadcast sends N b at
// the root. Buffers in place count N - 1; where both readings are whole numbers, N is taken. Lists
// of lengths: alltoallv, scatterv (root) and reduce_scatter hold what is sent to each rank,
// allgatherv and gatherv (root) what is received from each; other ranks of gatherv and scatterv
// have their own length in `bytes`, without a list. neighbour_exchange: `bytes` is the number of
// (destination, bytes) pairs at the start of its list; (source, bytes) pairs follow.
Trace read_trace(const std::string& path, const ReadOptions& options = {});

// As the program would run without the tracer. Throws when a rank ended early, or when
// communication was only counted.
Trace read_replayable(const std::string& anchor_path,
                      const ReadOptions& options = {.tracing = false, .making = true});
// Its schedule alone.
schedule::Schedule read_otf2(const std::string& anchor_path,
                             const ReadOptions& options = {.tracing = false, .making = true});

}  // namespace hakaru::trace
