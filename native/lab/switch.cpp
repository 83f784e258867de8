// The switch of `hakaru lab`: joins hosts (network namespaces) by links of a chosen latency and
// rate.
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "native/base/atomic_file.hpp"
#include "native/base/require.hpp"
#include "native/command/words.hpp"
#include "native/lab/fabric.hpp"
#include "native/lab/options.hpp"
#include "native/lab/tap.hpp"
#include "native/lab/timing.hpp"

namespace hakaru::lab {
namespace {

constexpr Nanoseconds second_ns = 1'000'000'000;
constexpr int frames_at_once = 8;  // of one host, before due frames have their turn
constexpr std::size_t ethernet_header_bytes = 14 + 4;  // with a VLAN tag

Nanoseconds now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * second_ns + time.tv_nsec;
}

// Signals arrive as input of the loop, never between its instructions.
int signal_input() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) sigaddset(&signals, number);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const int descriptor = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  base::require_environment(descriptor >= 0, "signals cannot be received", std::strerror(errno),
                            "raise the limit of open files");
  return descriptor;
}

// Empty when the process has the wanted real-time priority, else why not.
std::string take_priority(int priority) {
  prctl(PR_SET_TIMERSLACK, 1);
  if (priority == 0) return "none was asked for";
  sched_param parameters{};
  parameters.sched_priority = priority;
  return sched_setscheduler(0, SCHED_FIFO, &parameters) == 0 ? "" : std::strerror(errno);
}

class Switch {
 public:
  explicit Switch(const SwitchOptions& options)
      : options_(options), fabric_(static_cast<int>(options.namespace_files.size()), options.link) {
    for (const std::string& file : options.namespace_files)
      taps_.emplace_back(file, options.device);
    for (const Tap& tap : taps_) inputs_.push_back({tap.descriptor(), POLLIN, 0});
    inputs_.push_back({signal_input(), POLLIN, 0});
    without_priority_because_ = take_priority(options.priority);
  }

  // Until SIGTERM, SIGINT or SIGHUP.
  void run() {
    while (!ended_) {
      fabric_.advance(now_ns(), [this](int port, Nanoseconds due_ns, const Frame& frame) {
        lateness_.add(now_ns() - due_ns);
        if (!taps_[port].write(frame)) ++refused_frames_;
      });
      if (wait()) read_inputs();
    }
    write_statistics();
  }

 private:
  // Sleeps until a frame or a signal comes or the next frame is nearly due; true when there is
  // input.
  bool wait() {
    const auto next_ns = fabric_.next_event();
    if (!next_ns) return ppoll(inputs_.data(), inputs_.size(), nullptr, nullptr) > 0;
    const Nanoseconds begin_ns = now_ns();
    const Nanoseconds sleep_ns = *next_ns - begin_ns - margin_.value_ns();
    timespec timeout{};
    if (sleep_ns > 0) timeout = {sleep_ns / second_ns, sleep_ns % second_ns};
    const int ready = ppoll(inputs_.data(), inputs_.size(), &timeout, nullptr);
    if (ready == 0 && sleep_ns > 0) margin_.observe(now_ns() - begin_ns - sleep_ns);
    return ready > 0;
  }

  void read_inputs() {
    const std::size_t longest_bytes = options_.largest_payload_bytes + ethernet_header_bytes;
    for (std::size_t port = 0; port < taps_.size(); ++port) {
      base::require_environment(!(inputs_[port].revents & (POLLERR | POLLHUP | POLLNVAL)),
                                "host " + options_.namespace_files[port] + " is gone",
                                "its device was removed", "run hakaru lab down");
      if (!(inputs_[port].revents & POLLIN)) continue;
      for (int count = 0; count < frames_at_once && taps_[port].read(buffer_, longest_bytes);
           ++count)
        fabric_.accept(static_cast<int>(port), buffer_, now_ns());
    }
    if (inputs_.back().revents & POLLIN) read_signals();
  }

  void read_signals() {
    signalfd_siginfo signal{};
    while (read(inputs_.back().fd, &signal, sizeof signal) == sizeof signal) {
      if (signal.ssi_signo == SIGUSR1)
        write_statistics();
      else
        ended_ = true;
    }
  }

  void write_statistics() const {
    if (options_.statistics_file.empty()) return;
    const Counts& counts = fabric_.counts();
    const nlohmann::json statistics = {
        {"accepted_frames", counts.accepted_frames},
        {"accepted_bytes", counts.accepted_bytes},
        {"delivered_frames", counts.delivered_frames},
        {"delivered_bytes", counts.delivered_bytes},
        {"dropped_frames", counts.dropped_frames},
        {"malformed_frames", counts.malformed_frames},
        {"refused_frames", refused_frames_},
        {"lateness_median_s", 1e-9 * static_cast<double>(lateness_.quantile_ns(0.5))},
        {"lateness_99_s", 1e-9 * static_cast<double>(lateness_.quantile_ns(0.99))},
        {"lateness_maximum_s", 1e-9 * static_cast<double>(lateness_.maximum_ns())},
        {"wake_margin_s", 1e-9 * static_cast<double>(margin_.value_ns())},
        {"without_priority_because", without_priority_because_},
    };
    try {
      base::write_file_atomically(options_.statistics_file, statistics.dump() + "\n");
    } catch (const base::UserError& error) {  // a full disk must not cut the links
      std::fprintf(stderr, "%s\n", error.what());
    }
  }

  SwitchOptions options_;
  Fabric fabric_;
  std::vector<Tap> taps_;
  std::vector<pollfd> inputs_;
  WakeMargin margin_;
  Lateness lateness_;
  Frame buffer_;
  std::uint64_t refused_frames_ = 0;
  std::string without_priority_because_;
  bool ended_ = false;
};

}  // namespace
}  // namespace hakaru::lab

int main(int argument_count, char** arguments) {
  using namespace hakaru;
  return command::reported("switch", stderr, [&] {
    const auto options = lab::parse_switch_options({arguments + 1, arguments + argument_count});
    if (!options) return 0;
    lab::Switch joined(*options);
    std::puts("ready");
    std::fclose(stdout);
    joined.run();
    return 0;
  });
}
