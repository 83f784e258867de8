#include "native/lab/options.hpp"

#include <sched.h>

#include "native/base/require.hpp"
#include "native/command/words.hpp"

namespace hakaru::lab {

std::optional<SwitchOptions> parse_switch_options(const std::vector<std::string>& words) {
  constexpr std::size_t least_queue_bytes = 100'000, most_queue_bytes = std::size_t{1} << 40;
  constexpr Nanoseconds hour_ns = 3'600'000'000'000;
  SwitchOptions options;
  CLI::App app("Joins hosts by links of a chosen latency and rate.", "switch");
  app.add_option("namespaces", options.namespace_files, "namespace files, one a host")->required();
  app.add_option("--latency-ns", options.link.latency_ns, "of a link, one way, ns")
      ->check(CLI::Range(Nanoseconds{0}, hour_ns));
  app.add_option("--bytes-per-second", options.link.bytes_per_second,
                 "rate of a link, B/s; 0: none")
      ->check(CLI::Range(0.0, 1e15));
  app.add_option("--queue-bytes", options.link.queue_bytes, "that wait at a link, B")
      ->check(CLI::Range(least_queue_bytes, most_queue_bytes));
  app.add_option("--mtu", options.largest_payload_bytes, "of the hosts' devices, B")
      ->check(CLI::Range(std::size_t{576}, std::size_t{65521}));
  app.add_option("--priority", options.priority, "of SCHED_FIFO; 0: an ordinary process")
      ->check(CLI::Range(0, 99));
  app.add_option("--longest-poll-ns", options.longest_poll_ns,
                 "before a frame is due, ns; 0: sleeps")
      ->check(CLI::Range(Nanoseconds{0}, Nanoseconds{1'000'000}));
  app.add_option("--cores", options.cores,
                 "one a host, with commas: what a host sends is served there")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0, CPU_SETSIZE - 1));
  app.add_option("--device", options.device, "name of the hosts' devices");
  app.add_option("--statistics", options.statistics_file, "file written on SIGUSR1 and at the end");
  if (!command::read_words(app, words)) return {};
  const std::size_t hosts = options.namespace_files.size();
  base::require(
      options.cores.empty() || options.cores.size() == hosts,
      std::to_string(options.cores.size()) + " cores for " + std::to_string(hosts) + " hosts",
      "--cores has one a host", "name as many, or none");
  return options;
}

}  // namespace hakaru::lab
