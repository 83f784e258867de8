// What PUT and GET cost on a machine that does them by itself, in hardware or in interrupts: the
// parameters of MLSim by their published names (Hayashi et al. 1995, table 2 and section 4.1).
// Seconds; per byte where it says so. With s bytes:
//
//   interrupts   put: the CPU pays prolog + enqueue + post s + dma_set, then epilog; where the data
//                come to, the CPU loses intr_rtc + flush s + recv_dma_set when they arrive, and
//                intr_rtc_rcv more to raise a flag. A flag at the sending end costs intr_rtc_send
//                there. An acknowledgement costs acknowledge_time where it comes back to.
//                get: the request costs the CPU what a put of no bytes does, the target's CPU loses
//                intr_rtc + post s + put_dma_set to answer; the answer arrives as a put's data.
//   hardware     the CPU pays prolog + enqueue (+ epilog); the message controller sets its DMA
//                (put_dma_set), one command after another, and that of the receiving end
//                (recv_dma_set). No CPU is interrupted.
//   messages     a send writes its bytes back to memory (post s); for the rest they cost what the
//                network's levels say.
//   both         a flag wait begins with check_prolog. The wire carries a byte in put_msg_time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>

namespace hakaru::replay {

struct PutGet {
  bool hardware = false;
  double put_prolog_time = 0, put_epilog_time = 0, put_enqueue_time = 0;
  double put_msg_time = 0;  // per byte
  double put_dma_set_time = 0;
  double put_msg_post_time = 0;  // per byte
  double check_prolog_time = 0;
  double intr_rtc_time = 0, intr_rtc_rcv_time = 0, intr_rtc_send_time = 0;
  double recv_msg_flush_time = 0;  // per byte
  double recv_dma_set_time = 0;
  double acknowledge_time = 0;
};

PutGet read_put_get(const nlohmann::json& given);

// The message controller's queue of commands. Words 0: endless. A command that does not fit goes to
// memory and comes back from there, which takes the controller spill_time.
struct CommandQueue {
  std::int64_t words = 0;
  std::int64_t words_per_command = 1;
  double spill_time = 0;
};

// CPU time of a language's run-time system around each call, at compute_factor 1.
struct RunTimeSystem {
  double transfer_s = 0;    // put, get
  double collective_s = 0;  // barrier, reduction
};

// What a rank's message controller or interrupt handler is doing.
struct Controller {
  double handler_free_s = 0;    // interrupts are served one after another
  double idle_until_s = 0;      // until then the rank's CPU waits, whatever its clock says
  double commands_s = 0;        // when the data of its rank's own puts have left
  double leaving_s = 0;         // when the last byte of the message on the wire leaves
  std::deque<double> leaves_s;  // when each command in the queue leaves it
  std::uint64_t spilled = 0;

  // A wait that ends at time_s goes on while the handler is busy.
  double idle_until(double time_s) { return idle_until_s = std::max(time_s, handler_free_s); }
};

}  // namespace hakaru::replay
