// How long threads of this process were ready to run while something else had their processor.
#pragma once

#include <map>
#include <string>

namespace hakaru::base {

// Of every thread from construction on, as the kernel counts it (second number of
// /proc/PID/task/TID/schedstat, ns). 0 for kernels without CONFIG_SCHED_INFO.
class RunDelay {
 public:
  explicit RunDelay(std::string tasks = "/proc/self/task");
  struct Waited {
    double longest_s = 0.0;  // of the thread that waited longest
    double all_s = 0.0;      // of all threads together
  };
  Waited waited() const;

 private:
  std::string tasks_;
  std::map<std::string, double> before_;  // s by thread
};

}  // namespace hakaru::base
