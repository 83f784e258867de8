#include "native/trace/reader/threads.hpp"

#include <algorithm>
#include <tuple>

namespace hakaru::trace {

void ThreadScan::enter(std::uint64_t time, std::uint64_t position, const Region& region) {
  see(time);
  if (open != nullptr) {
    ++nested_;
  } else if (region.mpi) {
    open = &region;
    units.push_back({time, time, position, position, thread, true});
  } else if (region.phase && thread == 0) {
    units.push_back({time, time, position, position, thread, false});
  }
}

void ThreadScan::leave(std::uint64_t time, std::uint64_t position, const Region& region) {
  see(time);
  if (open != nullptr && nested_ > 0) {
    --nested_;
  } else if (open != nullptr) {
    units.back().leave = time;
    units.back().last = position;
    open = nullptr;
  } else if (region.phase && thread == 0) {
    units.push_back({time, time, position, position, thread, false});
  }
}

namespace {

void add(std::vector<std::uint32_t>& threads, std::uint32_t thread) {
  const auto place = std::lower_bound(threads.begin(), threads.end(), thread);
  if (place == threads.end() || *place != thread) threads.insert(place, thread);
}

// Calls of which each overlaps another one, or one call alone.
std::vector<ThreadSection> overlapping(const std::vector<ThreadUnit>& units) {
  std::vector<ThreadSection> found;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const ThreadUnit& unit = units[i];
    if (!unit.call) continue;
    if (found.empty() || unit.enter >= found.back().end_time) {
      found.push_back({i, i + 1, unit.enter, unit.leave, {unit.thread}});
      continue;
    }
    ThreadSection& section = found.back();
    section.end = i + 1;
    section.end_time = std::max(section.end_time, unit.leave);
    add(section.threads, unit.thread);
  }
  return found;
}

}  // namespace

std::vector<ThreadSection> find_sections(std::vector<ThreadUnit>& units, std::uint64_t gap) {
  std::stable_sort(units.begin(), units.end(), [](const ThreadUnit& a, const ThreadUnit& b) {
    return std::tie(a.enter, a.leave) < std::tie(b.enter, b.leave);
  });
  const std::vector<ThreadSection> pieces = overlapping(units);
  std::vector<ThreadSection> sections;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    ThreadSection section = pieces[i];
    if (section.threads.size() > 1) {
      std::size_t next = i + 1, last = i;
      for (; next < pieces.size() && pieces[next].begin_time - pieces[next - 1].end_time < gap;
           ++next) {
        if (pieces[next].threads.size() > 1) last = next;
      }
      for (; i < last; ++i)
        for (const std::uint32_t thread : pieces[i + 1].threads) add(section.threads, thread);
      section.end = pieces[last].end;
      section.end_time = pieces[last].end_time;
    }
    if (section.threads.size() == 1) section.threads.clear();
    sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace hakaru::trace
