// Faults of protection and of pages: LMbench's lat_sig prot and lat_pagefault.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <numeric>
#include <random>

#include "probes/operating_system/calls.hpp"
#include "probes/operating_system/system_handles.hpp"

namespace hakaru::probes::operating_system {
namespace {

using Values = std::vector<double>;

sigjmp_buf enough;
volatile std::int64_t left = 0, faults = 0;

// Returns to the store, which faults again, until there were enough.
void on_fault(int) {
  faults = faults + 1;
  left = left - 1;
  if (left <= 0) siglongjmp(enough, 1);
}

void store_into(std::byte* page, std::int64_t count) {
  left = count;
  if (sigsetjmp(enough, 1) == 0) *reinterpret_cast<volatile char*>(page) = 1;
}

class FaultHandler {
 public:
  FaultHandler() {
    struct sigaction action {};
    action.sa_handler = on_fault;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGSEGV, &action, &segmentation_);
    ::sigaction(SIGBUS, &action, &bus_);
  }
  ~FaultHandler() {
    ::sigaction(SIGSEGV, &segmentation_, nullptr);
    ::sigaction(SIGBUS, &bus_, nullptr);
  }
  FaultHandler(const FaultHandler&) = delete;
  FaultHandler& operator=(const FaultHandler&) = delete;

 private:
  struct sigaction segmentation_ {
  }, bus_{};
};

// A store into memory that may only be read, with its handler, less a signal that is caught.
Values protection_fault(const Conditions& conditions, Truth& truth) {
  const Folder folder(conditions.folder);
  write_file(folder.path("file"), 8);
  const Descriptor file = opened(folder.path("file"), O_RDONLY);
  const Mapping page(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), PROT_READ, MAP_SHARED,
                     file.number());
  const Values caught_s = seconds_to_catch(conditions, truth);
  std::int64_t wanted = 0;
  faults = 0;
  const FaultHandler handler;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    store_into(page.data(), count);
    wanted += count;
  });
  truth.equal("protection faults", static_cast<double>(faults), static_cast<double>(wanted));
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = std::max(0.0, found[i] - caught_s[i]);
  return found;
}

// Every page of a file that the page cache holds, mapped anew each time, in a random order; less
// mapping it. A value is of one page.
Values page_fault(const Conditions& conditions, Truth& truth) {
  const Folder folder(conditions.folder);
  const std::string path = folder.path("file");
  write_file(path, conditions.file_bytes);
  const Descriptor file = opened(path, O_RDONLY);
  const std::int64_t page_bytes = ::sysconf(_SC_PAGESIZE);
  std::vector<std::int64_t> pages(static_cast<std::size_t>(conditions.file_bytes / page_bytes));
  std::iota(pages.begin(), pages.end(), 0);
  std::shuffle(pages.begin(), pages.end(), std::mt19937_64(1));
  std::uint64_t sum = 0, expected = 0;
  std::int64_t done = 0;
  for (std::int64_t page : pages) expected += word_at(page * page_bytes / 8);
  const auto mapped = [&](std::int64_t count, bool touched) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Mapping map(static_cast<std::size_t>(conditions.file_bytes), PROT_READ, MAP_SHARED,
                        file.number());
      ::msync(map.data(), map.bytes(), MS_INVALIDATE);
      if (!touched) continue;
      for (std::int64_t page : pages)
        sum += *reinterpret_cast<const std::uint64_t*>(map.data() + page * page_bytes);
      ++done;
    }
  };
  Values found = seconds_without(
      conditions.sampling, [&](std::int64_t count) { mapped(count, true); },
      [&](std::int64_t count) { mapped(count, false); });
  truth.equal("pages read after a fault",
              static_cast<double>(sum == expected * static_cast<std::uint64_t>(done)), 1.0);
  for (double& seconds : found) seconds /= static_cast<double>(pages.size());
  return found;
}

}  // namespace

void add_faults(Items& items) {
  items.push_back({"file-vm", "Prot Fault", 0, protection_fault});
  items.push_back({"file-vm", "Page Fault", 0, page_fault});
  add_select_of_files(items);
}

}  // namespace hakaru::probes::operating_system
