#include "native/trace/reader/parts.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <type_traits>

#include "native/base/require.hpp"

namespace hakaru::trace {
namespace {

std::uint64_t events_of(const Definitions& definitions, std::int32_t rank) {
  return definitions.locations[definitions.location_of_rank[static_cast<std::size_t>(rank)]].events;
}

bool independent(const Definitions& definitions) {
  const std::vector<Communicator>& all = definitions.communicators.values();
  return definitions.windows.values().empty() && definitions.files.values().empty() &&
         std::none_of(all.begin(), all.end(), [](const Communicator& c) { return c.inter; });
}

// Where the part's values are among the whole's, to which those that are missing are added.
template <typename Value, typename Key>
std::vector<std::int32_t> add(std::vector<Value>& whole, std::vector<Value>&& part, Key&& key) {
  std::map<std::remove_cvref_t<decltype(key(whole[0]))>, std::int32_t> places;
  for (const Value& value : whole)
    places.emplace(key(value), static_cast<std::int32_t>(places.size()));
  std::vector<std::int32_t> found;
  for (Value& value : part) {
    const auto [place, fresh] =
        places.emplace(key(value), static_cast<std::int32_t>(places.size()));
    found.push_back(place->second);
    if (fresh) whole.push_back(std::move(value));
  }
  return found;
}

bool same(const std::vector<std::int32_t>& places) {
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] != static_cast<std::int32_t>(i)) return false;
  return true;
}

}  // namespace

std::vector<Part> divide(const Definitions& definitions, std::size_t most, std::uint64_t least) {
  const std::int32_t ranks = definitions.ranks();
  std::uint64_t events = 0;
  for (std::int32_t rank = 0; rank < ranks; ++rank) events += events_of(definitions, rank);
  const std::uint64_t parts =
      independent(definitions) ? std::clamp<std::uint64_t>(events / least, 1, most) : 1;
  // Each rank goes where the middle of its events lies.
  std::vector<Part> found(1);
  std::uint64_t passed = 0, place = 0;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const std::uint64_t own = events_of(definitions, rank);
    const std::uint64_t wanted =
        std::min(parts - 1, (2 * passed + own) * parts / std::max<std::uint64_t>(2 * events, 1));
    if (rank > 0 && wanted > place) found.push_back({rank, rank});
    place = wanted;
    found.back().last = rank + 1;
    passed += own;
  }
  return found;
}

void join(ArchiveSummary& whole, ArchiveSummary&& part, schedule::Schedule& schedule, Part ranks) {
  if (!part.program.empty()) whole.program = std::move(part.program);
  const std::vector<std::int32_t> phases =
      add(whole.phases, std::move(part.phases),
          [](const schedule::Phase& phase) { return phase.name; });
  const std::vector<std::int32_t> lists =
      add(whole.lists, std::move(part.lists),
          [](const std::vector<std::int64_t>& list) { return list; });
  require_numbered(whole.phases.size());
  if (same(phases) && same(lists)) return;
  for (std::int32_t rank = ranks.first; rank < ranks.last; ++rank) {
    for (schedule::Operation& o : schedule.streams[static_cast<std::size_t>(rank)]) {
      if (o.phase != schedule::no_phase) o.phase = static_cast<std::uint16_t>(phases[o.phase]);
      if (o.kind == schedule::Kind::collective && o.payload != schedule::no_payload)
        o.payload = lists[static_cast<std::size_t>(o.payload)];
    }
  }
}

Helpers::Helpers(std::size_t wanted) {
  while (pipes_.size() < wanted) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) break;
    fcntl(ends[0], F_SETPIPE_SZ, pipe_bytes);
    pipes_.push_back({ends[0], ends[1]});
  }
}

Helpers::~Helpers() {
  for (Pipe& one : pipes_) close_end(one.out), close_end(one.in);
}

void Helpers::close_end(int& end) {
  if (end >= 0) close(end);
  end = -1;
}

Part Helpers::start(const std::vector<Part>& parts, Sender& to) {
  for (Pipe& one : pipes_) close_end(one.out);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const pid_t process = fork();
    base::require_environment(process >= 0, "the archive cannot be read", std::strerror(errno),
                              "allow more processes");
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      processes_.clear();
      to = Sender(std::exchange(pipes_[i - 1].in, -1));
      close_writing();
      return parts[i];
    }
    processes_.push_back(process);
  }
  close_writing();
  return parts[0];
}

void Helpers::close_writing() {
  for (Pipe& one : pipes_) close_end(one.in);
}

void Helpers::wait() {
  for (const pid_t process : processes_) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) raise(WTERMSIG(status));
    if (status != 0) _exit(1);
  }
}

}  // namespace hakaru::trace
