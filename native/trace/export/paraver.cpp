// Paraver's trace format, as its manual ("Paraver: Tracefile description") lays it down.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "native/base/require.hpp"
#include "native/trace/export/export.hpp"
#include "native/trace/export/lanes.hpp"
#include "native/trace/export/output.hpp"

namespace hakaru::trace {
namespace {

using Nanoseconds = std::int64_t;

Nanoseconds ns(double seconds) { return std::max<Nanoseconds>(0, std::llround(1e9 * seconds)); }

// Types of events as Extrae numbers them, so that Paraver's own configurations find them.
constexpr std::uint32_t point_to_point_type = 50000001, collective_type = 50000002,
                        other_type = 50000003, one_sided_type = 50000004, io_type = 50000005,
                        phase_type = 60000019;

std::uint32_t type_of(TimeKind kind) {
  switch (kind) {
    case TimeKind::point_to_point:
    case TimeKind::wait:
      return point_to_point_type;
    case TimeKind::collective:
      return collective_type;
    case TimeKind::one_sided:
      return one_sided_type;
    case TimeKind::io:
      return io_type;
    default:
      return other_type;
  }
}

struct State {
  std::uint32_t number;
  const char* name;
  const char* colour;
};
// 1 is running in every Paraver trace. In the order of time_kinds.
constexpr State states[] = {
    {1, "Computing", "{0,0,255}"},        {4, "Sends and receives", "{255,0,0}"},
    {10, "Collective", "{255,146,24}"},   {12, "One-sided", "{204,121,167}"},
    {11, "Files", "{184,168,0}"},         {3, "Waiting for requests", "{213,94,0}"},
    {13, "Other calls", "{140,145,150}"}, {7, "MPI_Init, MPI_Finalize", "{195,199,203}"}};

struct Thread {
  std::size_t rank = 0, thread = 0, cpu = 0;  // cpu counts from 1
};

enum class Record : std::uint8_t { state, event, message };

struct Line {
  Nanoseconds time;
  Nanoseconds end;       // of states; of messages their index
  std::uint32_t thread;  // index into threads
  std::uint32_t type, value;
  Record record;
};

class Writer {
 public:
  explicit Writer(const Trace& trace) : trace_(trace) {
    place_ranks();
    collect();
    std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) {
      return std::tuple(a.time, a.record) < std::tuple(b.time, b.record);
    });
  }

  Exported write(const std::string& path) {
    const std::string stem = path.substr(0, path.size() - 4);
    Output prv(path), pcf(stem + ".pcf"), row(stem + ".row");
    header(prv);
    for (const Line& line : lines_) print(prv, line);
    names(pcf);
    labels(row);
    for (Output* out : {&prv, &pcf, &row}) exported_.bytes += out->bytes(), out->close();
    for (Output* out : {&row, &pcf, &prv}) out->put_in_place();
    return exported_;
  }

 private:
  // Every thread of a rank has a processor of its own on the rank's host.
  void place_ranks() {
    std::map<std::string, std::size_t> number;
    std::vector<std::vector<Thread>> on_host;
    for (std::size_t rank = 0; rank < trace_.ranks.size(); ++rank) {
      const std::string& host = trace_.ranks[rank].host;
      const auto [place, fresh] = number.try_emplace(host, hosts_.size());
      if (fresh) hosts_.push_back(host), on_host.emplace_back();
      host_of_.push_back(place->second);
      std::size_t most = 1;
      lanes_.push_back(lanes_of(trace_, rank));
      for (const Lane& lane : lanes_.back()) most = std::max(most, lane.thread + 1);
      threads_of_.push_back(most);
      for (std::size_t thread = 0; thread < most; ++thread)
        on_host[place->second].push_back({rank, thread, 0});
    }
    std::size_t cpu = 0;
    for (std::vector<Thread>& of_host : on_host) {
      cpus_of_.push_back(of_host.size());
      for (Thread& one : of_host) one.cpu = ++cpu, threads_.push_back(one);
    }
    std::sort(threads_.begin(), threads_.end(), [](const Thread& a, const Thread& b) {
      return std::tuple(a.rank, a.thread) < std::tuple(b.rank, b.thread);
    });
    std::size_t first = 0;
    for (const std::size_t threads : threads_of_) first_thread_.push_back(first), first += threads;
  }

  void collect() {
    for (std::size_t rank = 0; rank < trace_.ranks.size(); ++rank)
      for (const Lane& lane : lanes_[rank]) {
        const auto thread = static_cast<std::uint32_t>(first_thread_[rank] + lane.thread);
        each_piece_of_lane(trace_, rank, lane, [&](const Piece& one) { piece(one, thread); });
        phases(lane, thread);
      }
    messages_ = messages_of(trace_);
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      const auto thread =
          static_cast<std::uint32_t>(first_thread_[static_cast<std::size_t>(messages_[i].from)]);
      lines_.push_back(
          {ns(messages_[i].sent_s), static_cast<Nanoseconds>(i), thread, 0, 0, Record::message});
    }
    exported_.messages = messages_.size();
    for (const RankTrace& rank : trace_.ranks) end_ = std::max(end_, ns(rank.end_s));
  }

  void piece(const Piece& one, std::uint32_t thread) {
    const Nanoseconds begin = ns(one.begin_s), end = ns(one.end_s);
    lines_.push_back(
        {begin, end, thread, 0, states[static_cast<std::size_t>(one.kind)].number, Record::state});
    end_ = std::max(end_, end);
    if (one.call == computing) return void(++exported_.bursts);
    ++exported_.calls;
    const std::uint32_t type = type_of(one.kind);
    lines_.push_back({begin, 0, thread, type, one.call + 1, Record::event});
    lines_.push_back({end, 0, thread, type, 0, Record::event});
    used_[type].insert(one.call);
  }

  void phases(const Lane& lane, std::uint32_t thread) {
    for (const PhaseSpan& span : phases_of(trace_, lane)) {
      ++exported_.phases;
      lines_.push_back({ns(span.begin_s), 0, thread, phase_type, span.phase + 1u, Record::event});
      lines_.push_back({ns(span.end_s), 0, thread, phase_type, 0, Record::event});
    }
  }

  void header(Output& out) const {
    out.print("#Paraver (01/01/1970 at 00:00):{}_ns:{}(", end_, hosts_.size());
    for (std::size_t i = 0; i < cpus_of_.size(); ++i)
      out.print("{}{}", i > 0 ? "," : "", cpus_of_[i]);
    out.print("):1:{}(", trace_.ranks.size());
    for (std::size_t rank = 0; rank < trace_.ranks.size(); ++rank)
      out.print("{}{}:{}", rank > 0 ? "," : "", threads_of_[rank], host_of_[rank] + 1);
    out.print("),0\n");
  }

  void print(Output& out, const Line& line) const {
    const Thread& one = threads_[line.thread];
    const auto place = [&](const Thread& t) {
      return fmt::format("{}:1:{}:{}", t.cpu, t.rank + 1, t.thread + 1);
    };
    if (line.record == Record::state) {
      out.print("1:{}:{}:{}:{}\n", place(one), line.time, line.end, line.value);
    } else if (line.record == Record::event) {
      out.print("2:{}:{}:{}:{}\n", place(one), line.time, line.type, line.value);
    } else {
      const Message& m = messages_[static_cast<std::size_t>(line.end)];
      const Thread& to = threads_[first_thread_[static_cast<std::size_t>(m.to)]];
      out.print("3:{0}:{1}:{1}:{2}:{3}:{3}:{4}:{5}\n", place(one), line.time, place(to),
                ns(m.received_s), m.bytes, m.tag);
    }
  }

  void names(Output& out) const {
    out.print(
        "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\n"
        "DEFAULT_SEMANTIC\n\nTHREAD_FUNC          State As Is\n\nSTATES\n0    Idle\n");
    for (const State& state : states) out.print("{}    {}\n", state.number, state.name);
    out.print("\nSTATES_COLOR\n0    {{117,195,255}}\n");
    for (const State& state : states) out.print("{}    {}\n", state.number, state.colour);
    const std::map<std::uint32_t, const char*> types = {{point_to_point_type, "MPI Point-to-point"},
                                                        {collective_type, "MPI Collective Comm"},
                                                        {other_type, "MPI Other"},
                                                        {one_sided_type, "MPI One-sided"},
                                                        {io_type, "MPI I/O"}};
    for (const auto& [type, calls] : used_) {
      out.print("\n\nEVENT_TYPE\n9    {}    {}\nVALUES\n0      Outside MPI\n", type,
                types.at(type));
      for (const std::uint32_t call : calls)
        out.print("{}      {}\n", call + 1, line(trace_.calls[call]));
    }
    out.print("\n\nEVENT_TYPE\n9    {}    Phase\nVALUES\n0      End\n", phase_type);
    for (std::size_t i = 0; i < trace_.schedule.phases.size(); ++i)
      out.print("{}      {}\n", i + 1, line(trace_.schedule.phases[i].name));
  }

  void labels(Output& out) const {
    out.print("LEVEL CPU SIZE {}\n", threads_.size());
    std::vector<const Thread*> by_cpu(threads_.size());
    for (const Thread& one : threads_) by_cpu[one.cpu - 1] = &one;
    for (const Thread* one : by_cpu)
      out.print("{}.{}\n", one->cpu, line(hosts_[host_of_[one->rank]]));
    out.print("\nLEVEL NODE SIZE {}\n", hosts_.size());
    for (const std::string& host : hosts_) out.print("{}\n", line(host));
    out.print("\nLEVEL THREAD SIZE {}\n", threads_.size());
    for (const Thread& one : threads_) out.print("THREAD 1.{}.{}\n", one.rank + 1, one.thread + 1);
  }

  // Names stand on one line.
  static std::string line(std::string text) {
    for (char& letter : text)
      if (letter == '\n' || letter == '\r') letter = ' ';
    return text;
  }

  const Trace& trace_;
  std::vector<std::string> hosts_;
  std::vector<std::size_t> host_of_, threads_of_, first_thread_;  // by rank
  std::vector<std::size_t> cpus_of_;                              // by host
  std::vector<std::vector<Lane>> lanes_;
  std::vector<Thread> threads_;  // by rank and thread
  std::vector<Line> lines_;
  std::vector<Message> messages_;
  std::map<std::uint32_t, std::set<std::uint32_t>> used_;  // calls by type
  Nanoseconds end_ = 0;
  Exported exported_;
};

}  // namespace

Exported export_paraver(const Trace& trace, const std::string& path) {
  base::require(path.size() > 4 && path.ends_with(".prv"), "this is no name for a Paraver trace",
                path, "let it end with .prv");
  return Writer(trace).write(path);
}

}  // namespace hakaru::trace
