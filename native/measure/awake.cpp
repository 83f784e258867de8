// hakaru_awake: keeps the cores that it may use from falling idle until its standard input ends.
// Prints how many they are as soon as they are kept.
//
// A hypervisor moves virtual cores that sleep: asked every 0.2 s, 43 times of 138 two of them had
// come near each other or gone apart (native/base/handover.hpp); kept awake, once of 134
// (Firecracker, AMD EPYC, Zen 5). Whoever else is ready to run goes before these threads: they are
// of the lowest class (SCHED_IDLE) and give their turn away again and again (sched_yield). Linux
// heeds classes within a session only (sched(7), autogroup): start it in that of what is measured.
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "native/base/cores.hpp"
#include "native/command/words.hpp"

namespace {

using namespace hakaru;

bool lowest_class() {
  const sched_param none{};
  return ::sched_setscheduler(0, SCHED_IDLE, &none) == 0;
}

std::atomic<bool> over{false};

void wait_for_end_of_input() {
  char any[64];
  while (::read(STDIN_FILENO, any, sizeof any) > 0) {
  }
  over = true;
}

int keep() {
  std::thread(wait_for_end_of_input).detach();  // first: it would inherit the lowest class
  const base::PinnedTeam team(base::distinct_cores());
  bool lowest = true;
#pragma omp parallel num_threads(team.size()) reduction(&& : lowest)
  lowest = lowest_class();
  base::require_environment(lowest, "threads cannot be given the lowest class of scheduling",
                            "the kernel refused SCHED_IDLE");
  fmt::print("{}\n", team.size());
  std::fflush(stdout);
#pragma omp parallel num_threads(team.size())
  while (!over.load(std::memory_order_relaxed)) ::sched_yield();
  return 0;
}

}  // namespace

int main() { return command::reported("awake", stderr, keep); }
