#include <nlohmann/json.hpp>
#include <vector>

#include "native/trace/export/export.hpp"
#include "native/trace/export/lanes.hpp"
#include "native/trace/export/output.hpp"

namespace hakaru::trace {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

double us(double seconds) { return 1e6 * seconds; }

// A flow's end is looked for in the slice that it lies in, and a call is over when it has its
// message.
constexpr double inside_us = 1e-3;

class Writer {
 public:
  Writer(const Trace& trace, const std::string& path) : trace_(trace), out_(path) {
    for (const std::string& call : trace.calls) calls_.push_back(quoted(call));
    for (const schedule::Phase& phase : trace.schedule.phases)
      phases_.push_back(quoted(phase.name));
  }

  Exported write() {
    out_.print("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"program\":{}}},\"traceEvents\":[",
               quoted(trace_.schedule.program));
    for (std::size_t rank = 0; rank < trace_.ranks.size(); ++rank) {
      meta(rank);
      for (const Lane& lane : lanes_of(trace_, rank)) {
        for (const PhaseSpan& span : phases_of(trace_, lane)) phase(rank, lane.thread, span);
        each_piece_of_lane(trace_, rank, lane,
                           [&](const Piece& one) { piece(rank, lane.thread, one); });
      }
    }
    for (const Message& one : messages_of(trace_)) message(one);
    out_.print("\n]}}\n");
    exported_.bytes = out_.bytes();
    out_.close();
    out_.put_in_place();
    return exported_;
  }

 private:
  void next() {
    out_.print("{}", first_ ? "\n" : ",\n");
    first_ = false;
  }

  void meta(std::size_t rank) {
    next();
    out_.print("{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":{}}}}}",
               rank, quoted(fmt::format("rank {} on {}", rank, trace_.ranks[rank].host)));
    next();
    out_.print(
        "{{\"ph\":\"M\",\"pid\":{0},\"name\":\"process_sort_index\",\"args\":{{\"sort_index\":{0}}}"
        "}}",
        rank);
  }

  void slice(std::size_t rank, std::size_t thread, double begin_s, double end_s) {
    next();
    out_.print("{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{:.6f},\"dur\":{:.6f},", rank, thread,
               us(begin_s), us(end_s - begin_s));
  }

  void phase(std::size_t rank, std::size_t thread, const PhaseSpan& span) {
    if (span.phase >= phases_.size()) return;
    slice(rank, thread, span.begin_s, span.end_s);
    out_.print("\"cat\":\"phase\",\"name\":{}}}", phases_[span.phase]);
    ++exported_.phases;
  }

  void piece(std::size_t rank, std::size_t thread, const Piece& one) {
    slice(rank, thread, one.begin_s, one.end_s);
    const bool burst = one.call == computing;
    ++(burst ? exported_.bursts : exported_.calls);
    out_.print("\"cat\":\"{}\",\"name\":{}", time_kinds[static_cast<std::size_t>(one.kind)],
               burst ? "\"computing\"" : calls_[one.call]);
    const Transfer transfer = transfer_of(one);
    if (transfer.peer >= 0)
      out_.print(",\"args\":{{\"peer\":{},\"tag\":{},\"bytes\":{}}}", transfer.peer, transfer.tag,
                 transfer.bytes);
    else if (transfer.bytes > 0)
      out_.print(",\"args\":{{\"bytes\":{}}}", transfer.bytes);
    out_.print("}}");
  }

  void message(const Message& m) {
    const std::uint64_t id = ++exported_.messages;
    next();
    out_.print(
        "{{\"ph\":\"s\",\"id\":{},\"pid\":{},\"tid\":0,\"ts\":{:.6f},\"cat\":\"message\",\"name\":"
        "\"message\"}}",
        id, m.from, us(m.sent_s));
    next();
    out_.print(
        "{{\"ph\":\"f\",\"bp\":\"e\",\"id\":{},\"pid\":{},\"tid\":0,\"ts\":{:.6f},\"cat\":"
        "\"message\",\"name\":\"message\",\"args\":{{\"bytes\":{}}}}}",
        id, m.to, us(m.received_s) - inside_us, m.bytes);
  }

  const Trace& trace_;
  Output out_;
  Exported exported_;
  std::vector<std::string> calls_, phases_;
  bool first_ = true;
};

}  // namespace

Exported export_perfetto(const Trace& trace, const std::string& path) {
  return Writer(trace, path).write();
}

}  // namespace hakaru::trace
