// What the probe writes: a table for each kind of experiment, and the units of its columns.
#include "probes/messages/experiments.hpp"

namespace hakaru::probes::messages {

void describe_tables(base::Description& description) {
  const std::vector<base::Column> with_work = {{"pair", "1"},    {"bytes", "B"},
                                               {"about_s", "s"}, {"repetition", "1"},
                                               {"work_s", "s"},  {"seconds", "s"}};
  description
      .table(
          "pairs",
          {{"pair", "1"},
           {"level", "text"},
           {"rank_a", "1"},
           {"rank_b", "1"},
           {"host_a", "text"},
           {"host_b", "text"},
           {"processor_a", "1"},
           {"processor_b", "1"},
           {"package_a", "1"},
           {"package_b", "1"},
           {"core_a", "1"},
           {"core_b", "1"},
           {"pinned", "1"},
           {"shared_cache", "1"}},
          "which ranks were measured, where they ran (-1: not visible), whether both may use one "
          "processor only, and the lowest cache level they share (0: none visible)")
      .table("clock", {{"repetition", "1"}, {"seconds", "s"}}, "cost of reading the clock")
      .table("pingpong", {{"pair", "1"}, {"bytes", "B"}, {"repetition", "1"}, {"seconds", "s"}},
             "half of a round trip (IMB PingPong), mean of one batch")
      .table("pingpong_apart",
             {{"pair", "1"}, {"bytes", "B"}, {"repetition", "1"}, {"seconds", "s"}},
             "the same with 100 ns of work, of more than 1 KiB 300, before each message, which are "
             "taken off")
      .table("in_pieces",
             {{"pair", "1"},
              {"bytes", "B"},
              {"piece_bytes", "B"},
              {"repetition", "1"},
              {"seconds", "s"}},
             "the same of data that lie in pieces with gaps between them, on both sides")
      .table("both_ways", {{"pair", "1"}, {"bytes", "B"}, {"repetition", "1"}, {"seconds", "s"}},
             "a message each way at the same time, mean of one batch")
      .table("apart", {{"pair", "1"}, {"bytes", "B"}, {"repetition", "1"}, {"seconds", "s"}},
             "the same with so much work before each, which is taken off")
      .table("persistent", {{"pair", "1"}, {"bytes", "B"}, {"repetition", "1"}, {"seconds", "s"}},
             "the same, too, of requests that were made before (MPI_Startall)")
      .table(
          "posting",
          {{"pair", "1"}, {"bytes", "B"}, {"repetition", "1"}, {"seconds", "s"}, {"apart_s", "s"}},
          "posting a receive of a message that is asked for later, of a row of them, and when the "
          "one before has been done")
      .table(
          "window",
          {{"pair", "1"}, {"messages", "1"}, {"bytes", "B"}, {"repetition", "1"}, {"seconds", "s"}},
          "so many messages started at once, all waited for, and an answer of 4 B (OSU "
          "bandwidth); mean of one batch")
      .table(
          "post_work_wait",
          {{"pair", "1"}, {"bytes", "B"}, {"repetition", "1"}, {"work_s", "s"}, {"seconds", "s"}},
          "the same with work between start and wait, which lasts work_s in peace")
      .table("worked_before",
             {{"pair", "1"},
              {"bytes", "B"},
              {"work_s", "s"},
              {"memory_bytes", "B"},
              {"repetition", "1"},
              {"cold_s", "s"},
              {"seconds", "s"}},
             "exchange before which both ranks work for work_s over so much memory, with one clock "
             "reading; cold_s: how much longer the tracer's reading of some lines takes after the "
             "work; medians of one batch")
      .table(
          "row", with_work,
          "between hosts, a send of many in a row and work before each, which lasts work_s while "
          "no message is under way, on the sender, mean of one batch")
      .table("lagged", with_work,
             "between hosts, on both ranks a send, such work, and a receive of what was sent so "
             "many turns before that it has come")
      .table(
          "refill",
          {{"pair", "1"},
           {"memory_bytes", "B"},
           {"about_s", "s"},
           {"repetition", "1"},
           {"waited_s", "s"},
           {"warm_s", "s"},
           {"seconds", "s"}},
          "between hosts, going over so much memory after exchanges of 8 B for waited_s, and right "
          "after having done so (warm_s)")
      .table("large_pages", {{"pair", "1"}, {"bytes", "B"}, {"repetition", "1"}, {"seconds", "s"}},
             "on a host, the same as pingpong of data in pages of 2 MiB, mean of one batch")
      .table("fresh",
             {{"pair", "1"}, {"bytes", "B"}, {"use", "1"}, {"repetition", "1"}, {"seconds", "s"}},
             "half of a round trip of memory that is used for the first, second, ... time; at "
             "first no "
             "cache holds it")
      .table("prtt",
             {{"pair", "1"},
              {"messages", "1"},
              {"delay_s", "s"},
              {"bytes", "B"},
              {"repetition", "1"},
              {"seconds", "s"}},
             "round trip of a train of messages with the really waited delay between them, mean of "
             "one batch")
      .table("receive_overhead",
             {{"pair", "1"},
              {"bytes", "B"},
              {"repetition", "1"},
              {"delay_s", "s"},
              {"seconds", "s"},
              {"send_s", "s"}},
             "a receive that starts delay_s after it was announced, and its send; each with one "
             "clock reading")
      .table(
          "unexpected_send",
          {{"pair", "1"}, {"bytes", "B"}, {"repetition", "1"}, {"delay_s", "s"}, {"send_s", "s"}},
          "a send whose receive is posted delay_s later by a rank that polls MPI meanwhile")
      .table("stolen",
             {{"pair", "1"},
              {"call", "text"},
              {"bytes", "B"},
              {"repetition", "1"},
              {"delay_s", "s"},
              {"seconds", "s"}},
             "what others took of a processor that called nothing: of delay_s after a send, and of "
             "delay_s before a receive")
      .table("quiet", {{"repetition", "1"}, {"delay_s", "s"}, {"seconds", "s"}},
             "the same while no message is under way")
      .table("eager", {{"pair", "1"}, {"low_bytes", "B"}, {"high_bytes", "B"}},
             "the longest message that was sent while its receiver only polled, and the shortest "
             "that was not")
      .table("collectives",
             {{"operation", "text"},
              {"ranks", "1"},
              {"level", "text"},
              {"bytes", "B"},
              {"repetition", "1"},
              {"seconds", "s"}},
             "one operation, mean of one batch, maximum over ranks; bytes per message, per block "
             "of the "
             "all-to-all, per vector of the reduction");
}

}  // namespace hakaru::probes::messages
