#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iterator>
#include <map>
#include <thread>

#include "native/base/require.hpp"
#include "native/trace/reader/archive.hpp"
#include "native/trace/reader/channel.hpp"
#include "native/trace/reader/making.hpp"
#include "native/trace/reader/parts.hpp"

namespace hakaru::trace {
namespace {

constexpr std::uint64_t least_events = 200'000;  // of a part: some 20 ms
constexpr std::size_t most_parts = 4;            // one process takes what all of them read

// What the child says: in which `parts` it reads the ranks, then `rank` for each, then `done` or
// `failed`. Its helpers, each for its own part: the same without the first.
enum class Word : std::uint32_t { parts, rank, done, failed };

using PostedByRank = std::vector<std::vector<Posting>>;

struct FlatRank {
  double begin_s, end_s, initialised_s, unrecorded_s;
  std::uint64_t events, unfinished_requests, memory_bytes, long_bytes, large_page_bytes;
  bool complete;
};

void send_rank(Sender& to, RankBuilder& builder) {
  const RankTrace& rank = builder.result();
  to.put(Word::rank);
  to.put(FlatRank{rank.begin_s, rank.end_s, rank.initialised_s, rank.unrecorded_s, rank.events,
                  rank.unfinished_requests, rank.memory_bytes, rank.long_bytes,
                  rank.large_page_bytes, rank.complete});
  to.put(rank.host);
  to.put(rank.ended);
  to.put(rank.open_call);
  to.put(rank.silent);
  to.put(rank.silent_at);
  to.put(static_cast<std::uint64_t>(rank.uncovered.size()));
  for (const UncoveredCall& call : rank.uncovered) {
    to.put(call.name);
    to.put(call.calls);
  }
  to.put(rank.making);
  to.put(builder.stream());
  to.put(builder.times());
  to.put(static_cast<std::uint64_t>(builder.forked().size()));
  for (const RankBuilder::Written& thread : builder.forked()) {
    to.put(thread.stream);
    to.put(thread.times);
  }
  to.put(builder.posted());
}

void receive_rank(Receiver& from, Trace& trace, std::size_t index, PostedByRank& posted) {
  RankTrace& rank = trace.ranks[index];
  const auto flat = from.get<FlatRank>();
  rank.begin_s = flat.begin_s;
  rank.end_s = flat.end_s;
  rank.initialised_s = flat.initialised_s;
  rank.unrecorded_s = flat.unrecorded_s;
  rank.events = flat.events;
  rank.unfinished_requests = flat.unfinished_requests;
  rank.memory_bytes = flat.memory_bytes;
  rank.long_bytes = flat.long_bytes;
  rank.large_page_bytes = flat.large_page_bytes;
  rank.complete = flat.complete;
  rank.host = from.text();
  rank.ended = from.text();
  rank.open_call = from.text();
  rank.silent = from.values<SilentCall>();
  rank.silent_at = from.values<OperationTime>();
  rank.uncovered.resize(static_cast<std::size_t>(from.get<std::uint64_t>()));
  for (UncoveredCall& call : rank.uncovered) {
    call.name = from.text();
    call.calls = from.get<std::uint64_t>();
  }
  rank.making = from.values<Making>();
  trace.schedule.streams[index] = from.values<schedule::Operation>();
  trace.times[index] = from.values<OperationTime>();
  rank.threads = from.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < rank.threads; ++i) {
    trace.schedule.streams.push_back(from.values<schedule::Operation>());
    trace.times.push_back(from.values<OperationTime>());
  }
  posted.push_back(from.values<Posting>());
}

void send_summary(Sender& to, const ArchiveSummary& summary) {
  to.put(Word::done);
  to.put(summary.creator);
  to.put(summary.program);
  to.put(summary.calls);
  to.put(static_cast<std::uint64_t>(summary.phases.size()));
  for (const schedule::Phase& phase : summary.phases) {
    to.put(phase.name);
    to.put(phase.kind);
  }
  to.put(static_cast<std::uint64_t>(summary.communicators.size()));
  for (const schedule::CommunicatorFamily& family : summary.communicators) {
    to.put(family.name);
    to.put(family.self);
    to.put(family.created_windows);
    to.put(family.groups);
  }
  to.put(summary.lists);
  to.put(summary.warnings);
}

void receive_summary(Receiver& from, ArchiveSummary& summary) {
  summary.creator = from.text();
  summary.program = from.text();
  summary.calls = from.values<std::string>();
  summary.phases.resize(static_cast<std::size_t>(from.get<std::uint64_t>()));
  for (schedule::Phase& phase : summary.phases) {
    phase.name = from.text();
    phase.kind = from.text();
  }
  summary.communicators.resize(static_cast<std::size_t>(from.get<std::uint64_t>()));
  for (schedule::CommunicatorFamily& family : summary.communicators) {
    family.name = from.text();
    family.self = from.get<bool>();
    family.created_windows = from.get<bool>();
    family.groups.resize(static_cast<std::size_t>(from.get<std::uint64_t>()));
    for (std::vector<std::int32_t>& group : family.groups) group = from.values<std::int32_t>();
  }
  summary.lists.resize(static_cast<std::size_t>(from.get<std::uint64_t>()));
  for (std::vector<std::int64_t>& list : summary.lists) list = from.values<std::int64_t>();
  summary.warnings = from.values<std::string>();
}

std::uint64_t bytes_below(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

[[noreturn]] void run_child(const std::string& anchor, const ReadOptions& options, int pipe_end,
                            Helpers& helpers, int errors, std::uint64_t seconds) {
  dup2(errors, STDERR_FILENO);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const rlimit time{seconds, seconds + 1};
  setrlimit(RLIMIT_CPU, &time);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGXCPU}) std::signal(signal, SIG_DFL);
  Sender to(pipe_end);
  const auto fail = [&](base::ExitCode code, const std::string& text) {
    to.put(Word::failed);
    to.put(code);
    to.put(text);
  };
  try {
    const ArchiveSummary summary = read_archive(
        anchor, options,
        [&](const Definitions& definitions, bool one_stream_each) {
          const std::vector<Part> parts =
              divide(definitions, one_stream_each ? helpers.most_parts() : 1,
                     options.processes > 0 ? 1 : least_events);
          to.put(Word::parts);
          to.put(parts);
          return helpers.start(parts, to);
        },
        [&](std::int32_t, RankBuilder& builder) { send_rank(to, builder); });
    helpers.wait();
    send_summary(to, summary);
  } catch (const base::UserError& error) {
    fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    fail(base::ExitCode::environment,
         "the archive does not fit into memory; read it on a machine with more");
  } catch (const std::exception& error) {
    fail(base::ExitCode::usage,
         std::string("the archive cannot be read (") + error.what() + "); trace the program again");
  }
  to.flush();
  _exit(0);
}

// The beginning, in one line.
std::string text_in(int file) {
  char text[400] = "";
  const ssize_t got = pread(file, text, sizeof text - 1, 0);
  std::string said(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  for (char& letter : said) letter = letter == '\n' ? ' ' : letter;
  return said;
}

// How the child ended, when it did not say so itself.
[[noreturn]] void explain_death(int status, const std::string& said, std::size_t ranks_read) {
  const bool slow =
      WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
  const std::string how =
      slow ? "reading did not end"
      : WIFSIGNALED(status)
          ? fmt::format("the OTF2 library was ended by \"{}\"", strsignal(WTERMSIG(status)))
          : "the OTF2 library gave up";
  throw base::UserError(base::ExitCode::usage,
                        base::explain("the archive is damaged",
                                      fmt::format("{} at rank {}{}{}", how, ranks_read,
                                                  said.empty() ? "" : ": ", said),
                                      "copy the archive again, or trace the program again"));
}

std::uint64_t median_memory(const std::vector<RankTrace>& ranks) {
  std::vector<std::uint64_t> known;
  for (const RankTrace& rank : ranks)
    if (rank.memory_bytes > 0) known.push_back(rank.memory_bytes);
  if (known.empty()) return 0;
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::nth_element(known.begin(), middle, known.end());
  return *middle;
}

double in_large_pages(const std::vector<RankTrace>& ranks) {
  double all = 0, large = 0;
  for (const RankTrace& rank : ranks) {
    all += static_cast<double>(rank.long_bytes);
    large += static_cast<double>(rank.large_page_bytes);
  }
  return large > 0 && large <= all ? large / all : 0.0;
}

void take(ArchiveSummary&& summary, Trace& trace, const PostedByRank& posted) {
  trace.creator = std::move(summary.creator);
  trace.calls = std::move(summary.calls);
  trace.warnings = std::move(summary.warnings);
  schedule::Schedule& schedule = trace.schedule;
  schedule.program = std::move(summary.program);
  schedule.phases = std::move(summary.phases);
  schedule.communicators = std::move(summary.communicators);
  schedule.lists = std::move(summary.lists);
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    schedule.stream_of_rank.push_back(static_cast<std::uint32_t>(rank));
    trace.complete = trace.complete && trace.ranks[rank].complete;
    const std::uint64_t open = trace.ranks[rank].unfinished_requests;
    if (open > 0)
      trace.warnings.push_back(
          fmt::format("rank {}: {} requests were never completed", rank, open));
  }
  schedule.memory_bytes = median_memory(trace.ranks);
  schedule.in_large_pages = in_large_pages(trace.ranks);
  separate_shared_keys(schedule, posted);
  add_making(trace);
}

void resize(Trace& trace, std::int32_t ranks) {
  trace.schedule.ranks = ranks;
  trace.ranks.resize(static_cast<std::size_t>(ranks));
  trace.times.resize(static_cast<std::size_t>(ranks));
  trace.schedule.streams.resize(static_cast<std::size_t>(ranks));
}

// Throws what the other side says went wrong.
[[noreturn]] void fail_as_said(Receiver& from) {
  const auto code = from.get<base::ExitCode>();
  throw base::UserError(code, from.text());
}

// Which ranks each process reads.
std::vector<Part> receive_parts(Receiver& from) {
  if (from.get<Word>() == Word::parts) return from.values<Part>();
  fail_as_said(from);
}

// The ranks of one part, as they arrive.
struct Arriving {
  Arriving(Trace& given, Part own) : trace(given), ranks(own), next(own.first) {}

  Trace& trace;
  Part ranks;
  std::int32_t next;
  PostedByRank posted;
  ArchiveSummary summary;
  std::exception_ptr failure;

  void receive(Receiver& from) {
    for (;;) {
      switch (from.get<Word>()) {
        case Word::rank:
          receive_rank(from, trace, static_cast<std::size_t>(next++), posted);
          break;
        case Word::done:
          return receive_summary(from, summary);
        default:
          fail_as_said(from);
      }
    }
  }
  // Until the part is through, or `failure` says why not.
  void attempt(Receiver& from) {
    try {
      receive(from);
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

// True when every process said everything; throws what the first of them says went wrong.
bool join_parts(std::vector<Arriving>& parts, Trace& trace, std::size_t& ranks_read) {
  bool whole = true;
  for (Arriving& part : parts) {
    ranks_read = static_cast<std::size_t>(part.next);
    try {
      if (part.failure) std::rethrow_exception(part.failure);
    } catch (const Receiver::Ended&) {
      whole = false;
      if (part.next != part.ranks.last) return false;
    }
  }
  if (!whole) return false;
  ArchiveSummary all = std::move(parts[0].summary);
  PostedByRank posted = std::move(parts[0].posted);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    join(all, std::move(parts[i].summary), trace.schedule, parts[i].ranks);
    std::move(parts[i].posted.begin(), parts[i].posted.end(), std::back_inserter(posted));
  }
  take(std::move(all), trace, posted);
  return true;
}

// Every part in a thread of its own, the first in this one.
bool receive_all(int pipe, Helpers& helpers, Trace& trace, std::size_t& ranks_read) {
  Receiver from(pipe);
  std::vector<Arriving> parts;
  try {
    for (const Part& part : receive_parts(from)) parts.emplace_back(trace, part);
  } catch (const Receiver::Ended&) {
    return false;
  }
  resize(trace, parts.back().ranks.last);
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < parts.size(); ++i)
      others.emplace_back([&part = parts[i], own = helpers.take_pipe(i)] {
        Receiver from_helper(own);
        part.attempt(from_helper);
      });
    parts[0].attempt(from);
  }
  return join_parts(parts, trace, ranks_read);
}

Trace read_in_child(const std::string& anchor, const ReadOptions& options) {
  int ends[2];
  base::require_environment(pipe2(ends, O_CLOEXEC) == 0, "the archive cannot be read",
                            std::strerror(errno), "free file descriptors");
  fcntl(ends[0], F_SETPIPE_SZ, pipe_bytes);
  const int errors = memfd_create("errors", MFD_CLOEXEC);
  // 2 us a byte is a hundred times what reading takes.
  const std::string folder = std::filesystem::absolute(anchor).parent_path().string();
  const std::uint64_t seconds = 60 + bytes_below(folder) / 500'000;
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  Helpers helpers((options.processes > 0 ? options.processes : std::min(cores, most_parts)) - 1);
  const pid_t child = fork();
  base::require_environment(child >= 0, "the archive cannot be read", std::strerror(errno),
                            "allow more processes");
  if (child == 0) {
    close(ends[0]);
    run_child(anchor, options, ends[1], helpers, errors, seconds);
  }
  close(ends[1]);
  helpers.close_writing();
  Trace trace;
  std::size_t ranks_read = 0;
  bool whole = false;
  std::exception_ptr failure;
  try {
    whole = receive_all(ends[0], helpers, trace, ranks_read);
  } catch (...) {
    failure = std::current_exception();
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string said = text_in(errors);
  close(errors);
  if (failure) std::rethrow_exception(failure);
  if (!whole) explain_death(status, said, ranks_read);
  return trace;
}

Trace read_here(const std::string& anchor, const ReadOptions& options) {
  Trace trace;
  PostedByRank posted;
  ArchiveSummary summary = read_archive(
      anchor, options,
      [&](const Definitions& definitions, bool) {
        resize(trace, definitions.ranks());
        return Part{0, definitions.ranks()};
      },
      [&](std::int32_t rank, RankBuilder& builder) {
        const auto index = static_cast<std::size_t>(rank);
        trace.schedule.streams[index] = std::move(builder.stream());
        trace.times[index] = std::move(builder.times());
        trace.ranks[index] = std::move(builder.result());
        trace.ranks[index].threads = builder.forked().size();
        for (RankBuilder::Written& thread : builder.forked()) {
          trace.schedule.streams.push_back(std::move(thread.stream));
          trace.times.push_back(std::move(thread.times));
        }
        posted.push_back(builder.posted());
      });
  take(std::move(summary), trace, posted);
  return trace;
}

}  // namespace

namespace {

// Communication that was counted and is not among the events: a time without it would be wrong.
void require_all_communication(const Trace& trace) {
  std::map<std::string, std::uint64_t> missing;
  for (const RankTrace& rank : trace.ranks) {
    for (const UncoveredCall& one : rank.uncovered) {
      if (one.name.starts_with("messages ") || one.name.starts_with("collectives with") ||
          one.name.starts_with("receives "))
        missing[one.name] += one.calls;
    }
  }
  std::string counted;
  for (const auto& [name, calls] : missing)
    counted += fmt::format("{}{} {}", counted.empty() ? "" : ", ", calls, name);
  base::require(missing.empty(), "the trace does not hold all communication",
                counted + " were counted, but not between whom",
                "trace all worlds of the program together, with Open MPI");
}

}  // namespace

Trace read_trace(const std::string& path, const ReadOptions& options) {
  const std::string anchor = find_anchor(path);
  Trace trace = options.child_process ? read_in_child(anchor, options) : read_here(anchor, options);
  schedule::validate(trace.schedule);
  return trace;
}

schedule::Schedule read_otf2(const std::string& anchor_path, const ReadOptions& options) {
  return std::move(read_replayable(anchor_path, options).schedule);
}

Trace read_replayable(const std::string& anchor_path, const ReadOptions& options) {
  Trace trace = read_trace(anchor_path, options);
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    base::require(trace.ranks[rank].complete, "the trace is incomplete",
                  fmt::format("rank {} ended early, {}", rank, trace.ranks[rank].ended),
                  "trace a run that ends");
  }
  require_all_communication(trace);
  return trace;
}

}  // namespace hakaru::trace
