#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "native/schedule/fields.hpp"
#include "native/schedule/json.hpp"

namespace hakaru::schedule {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The sequence as arithmetic progressions [first, last, stride], in order.
std::string runs_of(const std::vector<std::int32_t>& values) {
  fmt::memory_buffer out;
  for (std::size_t first = 0; first < values.size();) {
    std::size_t last = first;
    const std::int32_t stride = first + 1 < values.size() ? values[first + 1] - values[first] : 1;
    while (last + 1 < values.size() && values[last + 1] - values[last] == stride) ++last;
    // Two values make a run only when they are neighbours: {0, 7, 8, 9} is 0 and 7 to 9.
    if (last == first + 1 && stride != 1 && last + 1 < values.size()) last = first;
    fmt::format_to(std::back_inserter(out), "{}[{},{},{}]", first ? "," : "", values[first],
                   values[last], last == first ? 1 : stride);
    first = last + 1;
  }
  return fmt::format("[{}]", fmt::to_string(out));
}

class StreamText {
 public:
  StreamText(const Schedule& schedule, fmt::memory_buffer& out) : schedule_(schedule), out_(out) {}

  void write(const Stream& stream) {
    for (std::size_t i = 0; i < stream.size(); ++i) {
      const Operation& o = stream[i];
      if (o.kind == Kind::loop_end) {
        --depth_;
        put("\n{:{}}]}}", "", 2 * depth_ + 2);
      } else {
        put("{}\n{:{}}{{\"do\":\"{}\"", i == 0 || stream[i - 1].kind == Kind::loop_begin ? "" : ",",
            "", 2 * depth_ + 2,
            o.kind == Kind::collective ? name_of(o.collective) : name_of(o.kind));
        if (o.kind == Kind::loop_begin)
          begin_loop(o);
        else
          operation(o);
      }
    }
  }

 private:
  template <typename... Values>
  void put(fmt::format_string<Values...> text, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Values>(values)...);
  }

  void begin_loop(const Operation& o) {
    ++depth_;
    put(",\"times\":{},\"operations\":[", o.bytes);
  }

  void operation(const Operation& o) {
    if (o.kind == Kind::phase_begin || o.kind == Kind::phase_end) {
      put(",\"phase\":{}}}", quoted(schedule_.phases[o.phase].name));
      if (o.kind == Kind::phase_begin)
        open_.push_back(o.phase);
      else
        open_.pop_back();
      return;
    }
    if (o.kind == Kind::fork) return fork(o);
    if (o.kind == Kind::compute && o.payload == no_payload)
      put(",\"seconds\":{}", o.seconds);
    else if (o.kind == Kind::compute)
      put(",\"work\":{}", o.payload);
    else
      fields(o);
    if (o.kind == Kind::compute && o.cold_s >= 0) put(",\"cold_s\":{:.3g}", o.cold_s);
    phase_unless_open(o);
    put("}}");
  }

  void phase_unless_open(const Operation& o) {
    const std::uint16_t expected = open_.empty() ? no_phase : open_.back();
    if (o.phase != expected)
      put(",\"in\":{}", o.phase == no_phase ? "null" : quoted(schedule_.phases[o.phase].name));
  }

  void fork(const Operation& o) {
    put(",\"request\":{}", o.request);
    phase_unless_open(o);
    put(",\"operations\":[");
    ++depth_;
    write(schedule_.streams[static_cast<std::size_t>(o.payload)]);
    --depth_;
    put("\n{:{}}]}}", "", 2 * depth_ + 2);
  }

  void fields(const Operation& o) {
    const Fields fields = fields_of(o.kind);
    auto wanted = [&](Field field, bool said) {
      return fields.required & field || (fields.optional & field && said);
    };
    if (wanted(peer_field, o.peer >= 0 || o.relative_peer))
      put(",\"{}\":{}", o.relative_peer ? "shift" : "peer", o.peer);
    if (wanted(root_field, o.peer >= 0)) put(",\"root\":{}", o.peer);
    if (wanted(tag_field, o.tag != 0)) put(",\"tag\":{}", o.tag);
    if (wanted(bytes_field, o.bytes != 0)) put(",\"bytes\":{}", o.bytes);
    if (wanted(communicator_field, o.communicator != world))
      put(",\"communicator\":{}", o.communicator);
    if (wanted(request_field, o.request != no_request)) put(",\"request\":{}", o.request);
    if (wanted(mode_field, o.mode != Mode::standard)) put(",\"mode\":\"{}\"", name_of(o.mode));
    if (wanted(list_field, o.payload != no_payload)) put(",\"list\":{}", o.payload);
    if (wanted(piece_field, o.payload != no_payload)) put(",\"piece\":{}", o.payload);
    if (wanted(grid_field, o.grid)) put(",\"grid\":true");
    if (wanted(persistent_field, o.persistent)) put(",\"persistent\":true");
  }

  const Schedule& schedule_;
  fmt::memory_buffer& out_;
  int depth_ = 0;
  std::vector<std::uint16_t> open_;
};

// "name": [one entry per line],
template <typename Entries, typename Write>
void write_array(std::ostream& out, const char* name, const Entries& entries, const Write& write) {
  out << ",\n\"" << name << "\": [";
  for (std::size_t i = 0; i < entries.size(); ++i) out << (i ? ",\n " : "\n ") << write(entries[i]);
  out << (entries.empty() ? "]" : "\n]");
}

std::string communicator_json(const CommunicatorFamily& family) {
  std::string text = fmt::format("{{\"name\":{}", quoted(family.name));
  if (family.self) text += ",\"self\":true";
  if (family.created_windows) text += ",\"created_windows\":true";
  if (!family.groups.empty()) {
    text += ",\"groups\":[";
    for (std::size_t i = 0; i < family.groups.size(); ++i)
      text += (i ? ",\n  " : "\n  ") + runs_of(family.groups[i]);
    text += "]";
  }
  return text + "}";
}

std::string work_json(const Work& work) {
  std::string text = fmt::format("{{\"flops\":{},\"bytes\":{},\"bytes_write_allocate\":{}",
                                 work.flops, work.bytes, work.bytes_write_allocate);
  if (work.seconds >= 0.0) text += fmt::format(",\"seconds\":{}", work.seconds);
  return text + "}";
}

}  // namespace

void write_json(const Schedule& schedule, std::ostream& out) {
  out << "{\"schema\": \"hakaru/schedule/1\",\n\"program\": " << quoted(schedule.program)
      << ",\n\"description\": " << quoted(schedule.description)
      << ",\n\"ranks\": " << schedule.ranks;
  if (schedule.memory_bytes > 0) out << ",\n\"memory_bytes\": " << schedule.memory_bytes;
  if (schedule.in_large_pages > 0)
    out << fmt::format(",\n\"in_large_pages\": {}", schedule.in_large_pages);
  write_array(out, "phases", schedule.phases, [](const Phase& phase) {
    return fmt::format("{{\"name\":{},\"kind\":\"{}\"}}", quoted(phase.name), phase.kind);
  });
  write_array(out, "communicators", schedule.communicators, communicator_json);
  write_array(out, "works", schedule.works, work_json);
  write_array(out, "lists", schedule.lists,
              [](const auto& list) { return fmt::format("[{}]", fmt::join(list, ",")); });
  std::vector<std::vector<std::int32_t>> ranks_of(schedule.streams.size());
  for (std::int32_t rank = 0; rank < schedule.ranks; ++rank)
    ranks_of[schedule.stream_of_rank[static_cast<std::size_t>(rank)]].push_back(rank);
  out << ",\n\"streams\": [";
  const char* separator = "\n";
  for (std::size_t i = 0; i < schedule.streams.size(); ++i) {
    if (ranks_of[i].empty()) continue;
    fmt::memory_buffer text;
    StreamText(schedule, text).write(schedule.streams[i]);
    out << separator << " {\"ranks\": " << runs_of(ranks_of[i]) << ", \"operations\": [";
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out << "]}";
    separator = ",\n";
  }
  out << "\n]}\n";
}

}  // namespace hakaru::schedule
