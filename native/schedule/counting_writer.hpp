// The work that a schedule stands for, without the schedule: loops are multiplied, nothing is
// stored.
//
// What is counted in the innermost phase, over all ranks:
// - flops and bytes of computing; files add what is read and written to both counts of bytes;
// - a send, put, get or accumulate is one message with its bytes;
// - an allreduce is recursive doubling: in each of ceil(log2 n) rounds every one of n ranks sends
//   the vector; an alltoall is n - 1 messages of every rank;
// - barriers and the other collectives count no messages, nor does anything in phases of the kind
//   io, where ranks only agree about files;
// - a call is one entry of one rank into the phase.
#pragma once

#include <functional>
#include <vector>

#include "native/base/description.hpp"
#include "native/schedule/writer.hpp"

namespace hakaru::schedule {

// Totals over `ranks` ranks of what `write` says, one row for each of `phases`, in their order.
// What is in no phase is left out.
std::vector<base::PhaseWork> count_work(const std::vector<Phase>& phases, int ranks,
                                        const std::function<void(RankWriter&)>& write);

}  // namespace hakaru::schedule
