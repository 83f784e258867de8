#include "native/lab/tap.hpp"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "native/base/require.hpp"

namespace hakaru::lab {
namespace {

using base::require_environment;

std::string reason() { return std::strerror(errno); }

// Goes into a network namespace and back out of it: a TAP device belongs to the namespace in which
// /dev/net/tun was opened.
class Visit {
 public:
  explicit Visit(const std::string& namespace_file)
      : home_(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)) {
    require_environment(home_ >= 0, "/proc/self/ns/net cannot be opened", reason(), "mount /proc");
    const int target = open(namespace_file.c_str(), O_RDONLY | O_CLOEXEC);
    const bool entered = target >= 0 && setns(target, CLONE_NEWNET) == 0;
    const std::string why = reason();
    if (target >= 0) close(target);
    if (!entered) close(home_);
    require_environment(entered, "network namespace " + namespace_file + " cannot be entered", why,
                        "run hakaru lab down, then hakaru lab up, as root");
  }
  ~Visit() {
    if (setns(home_, CLONE_NEWNET) != 0)
      std::terminate();  // nothing after this would be where it should
    close(home_);
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  int home_;
};

}  // namespace

Tap::Tap(const std::string& namespace_file, const std::string& device) {
  const Visit visit(namespace_file);
  descriptor_ = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  require_environment(descriptor_ >= 0, "/dev/net/tun cannot be opened", reason(),
                      "load the kernel module tun, and run as root");
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  std::strncpy(request.ifr_name, device.c_str(), IFNAMSIZ - 1);
  if (ioctl(descriptor_, TUNSETIFF, &request) != 0) {
    const std::string why = reason();
    close(descriptor_);
    require_environment(false, "device " + device + " cannot be made in " + namespace_file, why,
                        "run hakaru lab down, then hakaru lab up, as root");
  }
}

Tap::~Tap() {
  if (descriptor_ >= 0) close(descriptor_);
}

Tap::Tap(Tap&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

std::size_t Tap::read(Frame& buffer) const {
  const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

bool Tap::write(const Frame& frame) const {
  return ::write(descriptor_, frame.data(), frame.size()) == static_cast<ssize_t>(frame.size());
}

}  // namespace hakaru::lab
