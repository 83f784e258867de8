// The switch of `hakaru lab`: joins hosts (network namespaces) by links of a chosen latency and
// rate.
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

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

// What the threads of the switch share.
struct Shared {
  explicit Shared(const SwitchOptions& options)
      : options(options), fabric(static_cast<int>(options.namespace_files.size()), options.link) {
    for (const std::string& file : options.namespace_files) taps.emplace_back(file, options.device);
    base::require_environment(ended >= 0, "no event can be made", std::strerror(errno),
                              "raise the limit of open files");
  }
  void end() const {
    const std::uint64_t one = 1;
    if (write(ended, &one, sizeof one) != sizeof one) std::terminate();
  }

  const SwitchOptions options;
  std::vector<Tap> taps;
  const int ended = eventfd(0, EFD_CLOEXEC);  // readable from the end on
  std::mutex mutex;                           // of what follows
  Fabric fabric;
  Lateness lateness;
  std::uint64_t refused_frames = 0;
  std::exception_ptr failure;
};

// A thread that serves what some hosts send: it reads their frames and delivers them when they are
// due.
class Lane {
 public:
  // `core`: where it runs; negative: anywhere.
  Lane(Shared& shared, std::vector<int> ports, int core)
      : shared_(shared),
        ports_(std::move(ports)),
        core_(core),
        margin_(static_cast<double>(shared.options.longest_poll_ns)),
        buffer_(shared.options.largest_payload_bytes + ethernet_header_bytes) {
    for (const int port : ports_) inputs_.push_back({shared.taps[port].descriptor(), POLLIN, 0});
    inputs_.push_back({shared.ended, POLLIN, 0});
  }

  void operator()() {
    try {
      stay_on_core();
      while (!(inputs_.back().revents & POLLIN)) {
        deliver();
        if (wait()) read_inputs();
      }
    } catch (...) {
      const std::lock_guard guard(shared_.mutex);
      shared_.failure = std::current_exception();
      shared_.end();
    }
  }

 private:
  struct Due {
    int port;
    Nanoseconds due_ns;
    SharedFrame frame;
  };

  void stay_on_core() const {
    if (core_ < 0) return;
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core_, &cores);
    base::require_environment(sched_setaffinity(0, sizeof cores, &cores) == 0,
                              "core " + std::to_string(core_) + " cannot be used",
                              std::strerror(errno), "run hakaru lab down, then hakaru lab up");
  }

  void deliver() {
    due_.clear();
    {
      const std::lock_guard guard(shared_.mutex);
      shared_.fabric.advance(ports_, now_ns(),
                             [this](int port, Nanoseconds due_ns, const SharedFrame& frame) {
                               due_.push_back({port, due_ns, frame});
                             });
    }
    for (const Due& one : due_) {
      const Nanoseconds late_ns = now_ns() - one.due_ns;
      const bool taken = shared_.taps[one.port].write(*one.frame);
      const std::lock_guard guard(shared_.mutex);
      shared_.lateness.add(late_ns);
      if (!taken) ++shared_.refused_frames;
    }
  }

  // Sleeps until there is input or the next frame is nearly due; true when there is input.
  bool wait() {
    const auto next_ns = next_event();
    if (!next_ns) return ppoll(inputs_.data(), inputs_.size(), nullptr, nullptr) > 0;
    const Nanoseconds begin_ns = now_ns();
    const Nanoseconds sleep_ns = *next_ns - begin_ns - margin_.value_ns();
    timespec timeout{};
    if (sleep_ns > 0) timeout = {sleep_ns / second_ns, sleep_ns % second_ns};
    const int ready = ppoll(inputs_.data(), inputs_.size(), &timeout, nullptr);
    if (ready == 0 && sleep_ns > 0) margin_.observe(now_ns() - begin_ns - sleep_ns);
    return ready > 0;
  }

  std::optional<Nanoseconds> next_event() {
    const std::lock_guard guard(shared_.mutex);
    return shared_.fabric.next_event(ports_);
  }

  void read_inputs() {
    for (std::size_t index = 0; index < ports_.size(); ++index) {
      const int port = ports_[index];
      base::require_environment(!(inputs_[index].revents & (POLLERR | POLLHUP | POLLNVAL)),
                                "host " + shared_.options.namespace_files[port] + " is gone",
                                "its device was removed", "run hakaru lab down");
      if (inputs_[index].revents & POLLIN) read_frames(port);
    }
  }

  void read_frames(int port) {
    for (int count = 0; count < frames_at_once; ++count) {
      const std::size_t bytes = shared_.taps[port].read(buffer_);
      if (bytes == 0) return;
      Frame frame(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(bytes));
      const std::lock_guard guard(shared_.mutex);
      shared_.fabric.accept(port, std::move(frame), now_ns());
    }
  }

  Shared& shared_;
  const std::vector<int> ports_;
  const int core_;
  WakeMargin margin_;
  Frame buffer_;
  std::vector<pollfd> inputs_;
  std::vector<Due> due_;
};

class Switch {
 public:
  explicit Switch(const SwitchOptions& options)
      : shared_(options),
        signals_(signal_input()),
        without_priority_because_(take_priority(options.priority)) {}

  // Until SIGTERM, SIGINT or SIGHUP. The threads have this one's priority.
  void run() {
    std::vector<std::thread> threads;
    for (auto& [core, ports] : ports_of_cores())
      threads.emplace_back(Lane(shared_, std::move(ports), core));
    heed_signals();
    for (std::thread& thread : threads) thread.join();
    write_statistics();
    if (shared_.failure) std::rethrow_exception(shared_.failure);
  }

 private:
  std::map<int, std::vector<int>> ports_of_cores() const {
    std::map<int, std::vector<int>> found;
    const std::vector<int>& cores = shared_.options.cores;
    for (const int port : shared_.fabric.ports())
      found[cores.empty() ? -1 : cores[port]].push_back(port);
    return found;
  }

  void heed_signals() {
    pollfd inputs[] = {{signals_, POLLIN, 0}, {shared_.ended, POLLIN, 0}};
    while (!(inputs[1].revents & POLLIN)) {
      if (poll(inputs, std::size(inputs), -1) <= 0) continue;
      signalfd_siginfo signal{};
      while (read(signals_, &signal, sizeof signal) == sizeof signal) {
        if (signal.ssi_signo == SIGUSR1)
          write_statistics();
        else
          shared_.end();
      }
    }
  }

  void write_statistics() {
    if (shared_.options.statistics_file.empty()) return;
    const nlohmann::json statistics = gathered();
    try {
      base::write_file_atomically(shared_.options.statistics_file, statistics.dump() + "\n");
    } catch (const base::UserError& error) {  // a full disk must not cut the links
      std::fprintf(stderr, "%s\n", error.what());
    }
  }

  nlohmann::json gathered() {
    const std::lock_guard guard(shared_.mutex);
    const Counts& counts = shared_.fabric.counts();
    const Lateness& lateness = shared_.lateness;
    return {
        {"accepted_frames", counts.accepted_frames},
        {"accepted_bytes", counts.accepted_bytes},
        {"delivered_frames", counts.delivered_frames},
        {"delivered_bytes", counts.delivered_bytes},
        {"dropped_frames", counts.dropped_frames},
        {"malformed_frames", counts.malformed_frames},
        {"refused_frames", shared_.refused_frames},
        {"lateness_median_s", 1e-9 * static_cast<double>(lateness.quantile_ns(0.5))},
        {"lateness_99_s", 1e-9 * static_cast<double>(lateness.quantile_ns(0.99))},
        {"lateness_maximum_s", 1e-9 * static_cast<double>(lateness.maximum_ns())},
        {"without_priority_because", without_priority_because_},
    };
  }

  Shared shared_;
  const int signals_;
  const std::string without_priority_because_;
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
