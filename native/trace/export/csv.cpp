#include <algorithm>

#include "native/trace/export/export.hpp"
#include "native/trace/export/lanes.hpp"
#include "native/trace/export/output.hpp"

namespace hakaru::trace {
namespace {

// As RFC 4180 says: in quotes where it must be.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + "\"";
}

struct Writer {
  const Trace& trace;
  Output out;
  Exported exported;

  std::string phase(std::uint16_t number) const {
    return number < trace.schedule.phases.size() ? field(trace.schedule.phases[number].name) : "";
  }

  void piece(std::size_t rank, std::size_t thread, const Piece& one) {
    const Transfer transfer = transfer_of(one);
    ++(one.call == computing ? exported.bursts : exported.calls);
    out.print("{},{},{:.12g},{:.12g},{},{},{},", rank, thread, one.begin_s, one.end_s,
              time_kinds[static_cast<std::size_t>(one.kind)], field(name_of(trace, one)),
              phase(one.phase));
    if (transfer.peer >= 0) out.print("{},{}", transfer.peer, transfer.tag);
    if (transfer.peer < 0) out.print(",");
    out.print(",{}\n", transfer.bytes);
  }
};

}  // namespace

Exported export_csv(const Trace& trace, const std::string& path) {
  Writer writer{trace, Output(path), {}};
  writer.out.print("rank,thread,begin_s,end_s,kind,name,phase,peer,tag,bytes\n");
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
    for (const Lane& lane : lanes_of(trace, rank)) {
      each_piece_of_lane(trace, rank, lane,
                         [&](const Piece& one) { writer.piece(rank, lane.thread, one); });
      for (const PhaseSpan& span : phases_of(trace, lane)) {
        ++writer.exported.phases;
        writer.out.print("{},{},{:.12g},{:.12g},phase,{},{},,,\n", rank, lane.thread, span.begin_s,
                         span.end_s, writer.phase(span.phase), writer.phase(span.phase));
      }
    }
  for (const Message& m : messages_of(trace)) {
    ++writer.exported.messages;
    writer.out.print("{},0,{:.12g},{:.12g},message,message,,{},{},{}\n", m.from, m.sent_s,
                     m.received_s, m.to, m.tag, m.bytes);
  }
  writer.exported.bytes = writer.out.bytes();
  writer.out.close();
  writer.out.put_in_place();
  return writer.exported;
}

}  // namespace hakaru::trace
