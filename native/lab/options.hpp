// Command line of the switch, which `hakaru lab up` writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "native/lab/fabric.hpp"

namespace hakaru::lab {

struct SwitchOptions {
  LinkSettings link;
  std::size_t largest_payload_bytes = 65521;  // MTU of the hosts' devices
  int priority = 0;                           // of SCHED_FIFO; 0: an ordinary process
  Nanoseconds longest_poll_ns = 60'000;       // before a frame is due
  std::vector<int> cores;  // of the hosts, on which their frames are served; empty: anywhere
  std::string device = "eth0";
  std::string statistics_file;               // written on SIGUSR1 and at the end
  std::vector<std::string> namespace_files;  // one a host
};

// None when help was asked for and printed. Throws UserError(usage) for anything that is not
// understood, and when no host is named.
std::optional<SwitchOptions> parse_switch_options(const std::vector<std::string>& words);

}  // namespace hakaru::lab
