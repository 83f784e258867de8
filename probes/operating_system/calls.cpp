// Calls of the kernel that return at once: LMbench's lat_syscall, lat_select and lat_sig.
#include "probes/operating_system/calls.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "probes/operating_system/sockets.hpp"
#include "probes/operating_system/system_handles.hpp"

namespace hakaru::probes::operating_system {
namespace {

using Values = std::vector<double>;

Values null_call(const Conditions& conditions, Truth& truth) {
  std::int64_t same = 0, done = 0;
  const pid_t parent = ::getppid();
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) same += ::getppid() == parent;
    done += count;
  });
  truth.equal("null call", static_cast<double>(same), static_cast<double>(done));
  return found;
}

// The mean of reading a byte of /dev/zero and writing one to /dev/null.
Values null_io(const Conditions& conditions, Truth& truth) {
  const Descriptor zero = opened("/dev/zero", O_RDONLY), null = opened("/dev/null", O_WRONLY);
  std::int64_t moved = 0, done = 0;
  char byte = 1;
  const auto reading = [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) moved += ::read(zero.number(), &byte, 1);
    done += count;
  };
  const auto writing = [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) moved += ::write(null.number(), &byte, 1);
    done += count;
  };
  Values reads = seconds_of_one(conditions.sampling, reading);
  const Values writes = seconds_of_one(conditions.sampling, writing);
  for (std::size_t i = 0; i < reads.size(); ++i) reads[i] = 0.5 * (reads[i] + writes[i]);
  truth.equal("null I/O: bytes", static_cast<double>(moved), static_cast<double>(done));
  truth.equal("null I/O: what was read", byte, 0.0);
  return reads;
}

constexpr std::int64_t small_file_bytes = 8;

Values stat_call(const Conditions& conditions, Truth& truth) {
  const Folder folder(conditions.folder);
  const std::string path = folder.path("file");
  write_file(path, small_file_bytes);
  std::int64_t bytes = 0, done = 0;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    struct stat status {};
    for (std::int64_t i = 0; i < count; ++i) {
      if (::stat(path.c_str(), &status) != 0) unavailable("a file cannot be asked for its size");
      bytes += status.st_size;
    }
    done += count;
  });
  truth.equal("stat: sizes", static_cast<double>(bytes),
              static_cast<double>(small_file_bytes * done));
  return found;
}

Values open_close(const Conditions& conditions, Truth& truth) {
  const Folder folder(conditions.folder);
  const std::string path = folder.path("file");
  write_file(path, small_file_bytes);
  const int next = opened(path, O_RDONLY).number();  // the lowest that is free, each time
  std::int64_t same = 0, done = 0;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const int file = ::open(path.c_str(), O_RDONLY);
      if (file < 0) unavailable("a file cannot be opened");
      same += file == next;
      ::close(file);
    }
    done += count;
  });
  truth.equal("open and close: descriptors", static_cast<double>(same), static_cast<double>(done));
  return found;
}

// Asks which of so many copies of a descriptor may be written to: all of them.
Values select_on(const Descriptor& one, int number, const Conditions& conditions, Truth& truth) {
  std::vector<Descriptor> copies;
  fd_set wanted;
  FD_ZERO(&wanted);
  int last = 0;
  for (int i = 0; i < number; ++i) {
    copies.emplace_back(::dup(one.number()));
    const int copy = copies.back().number();
    if (copy < 0 || copy >= FD_SETSIZE) unavailable("so many descriptors are not to be had");
    FD_SET(copy, &wanted);
    last = std::max(last, copy);
  }
  std::int64_t ready = 0, done = 0;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      fd_set asked = wanted;
      timeval at_once{0, 0};
      ready += ::select(last + 1, nullptr, &asked, nullptr, &at_once);
    }
    done += count;
  });
  truth.equal("select: descriptors that are ready", static_cast<double>(ready),
              static_cast<double>(number * done));
  return found;
}

Values select_files(const Conditions& conditions, Truth& truth, int number) {
  const Folder folder(conditions.folder);
  write_file(folder.path("file"), small_file_bytes);
  return select_on(opened(folder.path("file"), O_RDONLY), number, conditions, truth);
}

Values select_tcp(const Conditions& conditions, Truth& truth, int number) {
  const Listener listener(SOCK_STREAM);
  const Descriptor here = connected(listener);
  const Descriptor there = accepted(listener);
  return select_on(here, number, conditions, truth);
}

volatile sig_atomic_t caught = 0;
void count_signal(int) { caught = caught + 1; }

struct sigaction handling(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  return action;
}

// SIGUSR1 is handled as wanted, and as before at the end.
class Handled {
 public:
  explicit Handled(void (*handler)(int)) {
    const struct sigaction action = handling(handler);
    ::sigaction(SIGUSR1, &action, &before_);
  }
  ~Handled() { ::sigaction(SIGUSR1, &before_, nullptr); }
  Handled(const Handled&) = delete;
  Handled& operator=(const Handled&) = delete;

 private:
  struct sigaction before_ {};
};

Values install(const Conditions& conditions, Truth& truth) {
  const Handled ours(count_signal);
  std::int64_t same = 0, done = 0;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const struct sigaction action = handling(count_signal);
      struct sigaction before {};
      ::sigaction(SIGUSR1, &action, &before);
      same += before.sa_handler == count_signal;
    }
    done += count;
  });
  truth.equal("signals installed", static_cast<double>(same), static_cast<double>(done));
  return found;
}

}  // namespace

// A signal to oneself and its handler, less sending signal 0, which is checked and not delivered.
std::vector<double> seconds_to_catch(const Conditions& conditions, Truth& truth) {
  const Handled ours(count_signal);
  const pid_t self = ::getpid();
  std::int64_t sent = 0, handled = 0;
  const auto sending = [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) ::kill(self, 0);
  };
  const auto catching = [&](std::int64_t count) {
    caught = 0;
    for (std::int64_t i = 0; i < count; ++i) ::kill(self, SIGUSR1);
    sent += count;
    handled += caught;
  };
  std::vector<double> found = seconds_without(conditions.sampling, catching, sending);
  truth.equal("signals caught", static_cast<double>(handled), static_cast<double>(sent));
  return found;
}

void add_calls(Items& items) {
  const std::string group = "processes";
  const auto of = [](auto measure, int number) {
    return [measure, number](const Conditions& conditions, Truth& truth) {
      return measure(conditions, truth, number);
    };
  };
  items.push_back({group, "null call", 0, null_call});
  items.push_back({group, "null I/O", 0, null_io});
  items.push_back({group, "stat", 0, stat_call});
  items.push_back({group, "open clos", 0, open_close});
  items.push_back({group, "10fd slct TCP", 0, of(select_tcp, 10)});
  items.push_back({group, "slct TCP", 0, of(select_tcp, 100)});
  items.push_back({group, "10fd selct", 0, of(select_files, 10)});
  items.push_back({group, "sig inst", 0, install});
  items.push_back({group, "sig hndl", 0, seconds_to_catch});
}

void add_select_of_files(Items& items) {
  items.push_back({"file-vm", "100fd selct", 0, [](const Conditions& conditions, Truth& truth) {
                     return select_files(conditions, truth, 100);
                   }});
}

}  // namespace hakaru::probes::operating_system
