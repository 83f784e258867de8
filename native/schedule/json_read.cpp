#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "native/base/atomic_file.hpp"
#include "native/schedule/checked_values.hpp"
#include "native/schedule/fields.hpp"
#include "native/schedule/json.hpp"

namespace hakaru::schedule {
namespace {

using nlohmann::json;

class Reader : private CheckedValues {
 public:
  explicit Reader(const std::string& name) : CheckedValues(name) {
    for (int i = 0; i < kinds; ++i) kind_of_[name_of(static_cast<Kind>(i))] = static_cast<Kind>(i);
    kind_of_.erase(name_of(Kind::collective));
    kind_of_.erase(name_of(Kind::loop_end));
    for (int i = 0; i < collectives; ++i)
      collective_of_[name_of(static_cast<Collective>(i))] = static_cast<Collective>(i);
    for (int i = 0; i < modes; ++i) mode_of_[name_of(static_cast<Mode>(i))] = static_cast<Mode>(i);
  }

  Schedule read(const std::string& text) {
    json file;
    try {
      file = json::parse(text);
    } catch (const json::exception& error) {
      // "[json.exception.parse_error.101] parse error at line ..."
      const std::string_view what = error.what();
      const std::size_t start = what.find("] ");
      demand(false, whole_file, start == what.npos ? what : what.substr(start + 2));
    }
    demand(file.is_object() && file.value("schema", json()) == "hakaru/schedule/1", whole_file,
           "it does not say \"schema\": \"hakaru/schedule/1\"");
    only(file, whole_file,
         {"schema", "program", "description", "ranks", "phases", "communicators", "works", "lists",
          "streams", "memory_bytes", "in_large_pages"});
    schedule_.program = text_of(file, "program", whole_file);
    schedule_.description = text_of(file, "description", whole_file);
    schedule_.ranks =
        static_cast<std::int32_t>(integer_of(file, "ranks", whole_file, 1, most_ranks));
    if (file.contains("memory_bytes"))
      schedule_.memory_bytes =
          static_cast<std::uint64_t>(integer_of(file, "memory_bytes", whole_file, 1, INT64_MAX));
    if (file.contains("in_large_pages")) {
      schedule_.in_large_pages = number_of(file, "in_large_pages", whole_file);
      demand(schedule_.in_large_pages <= 1.0, whole_file, "'in_large_pages' is a share, 0 to 1");
    }
    for (const json& phase : array_of(file, "phases")) read_phase(phase);
    schedule_.communicators.clear();
    for (const json& family : array_of(file, "communicators")) read_communicator(family);
    for (const json& work : array_of(file, "works")) read_work(work);
    for (const json& list : array_of(file, "lists")) read_list(list);
    read_streams(array_of(file, "streams"));
    return std::move(schedule_);
  }

 private:
  void read_phase(const json& entry) {
    const Place place{"phase", schedule_.phases.size()};
    only(entry, place, {"name", "kind"});
    schedule_.phases.push_back({text_of(entry, "name", place), text_of(entry, "kind", place)});
    demand(phase_of_.emplace(schedule_.phases.back().name, phase_of_.size()).second, place,
           "its name is used twice");
    demand(schedule_.phases.size() < no_phase, place, "there are too many phases");
  }

  // Appends the ranks of [[first, last, stride], ...]; at most as many as there are ranks, so that
  // a damaged file needs no memory.
  void append_runs(const json& runs, const Place& place, std::vector<std::int32_t>& ranks) const {
    demand(runs.is_array(), place, "its ranks are not an array");
    for (const json& run : runs) {
      demand(run.is_array() && run.size() == 3, place,
             "a run of ranks is not [first, last, stride]");
      const std::int64_t first = integer(run[0], "first", place, 0, schedule_.ranks - 1);
      const std::int64_t last = integer(run[1], "last", place, 0, schedule_.ranks - 1);
      const std::int64_t stride = integer(run[2], "stride", place, -most_ranks, most_ranks);
      demand(stride != 0 && (last - first) % stride == 0 && (last - first) / stride >= 0, place,
             "a run does not come from its first to its last rank");
      const std::int64_t count = (last - first) / stride + 1;
      demand(static_cast<std::int64_t>(ranks.size()) + count <= schedule_.ranks, place,
             "it has more ranks than there are");
      for (std::int64_t i = 0; i < count; ++i)
        ranks.push_back(static_cast<std::int32_t>(first + i * stride));
    }
  }

  void read_communicator(const json& entry) {
    const Place place{"communicator", schedule_.communicators.size()};
    only(entry, place, {"name", "self", "created_windows", "groups"});
    CommunicatorFamily family;
    family.name = text_of(entry, "name", place);
    if (entry.contains("self")) {
      demand(entry["self"].is_boolean(), place, "'self' is neither true nor false");
      family.self = entry["self"].get<bool>();
    }
    if (entry.contains("created_windows")) {
      demand(entry["created_windows"].is_boolean(), place,
             "'created_windows' is neither true nor false");
      family.created_windows = entry["created_windows"].get<bool>();
    }
    if (entry.contains("groups")) {
      demand(entry["groups"].is_array() && !entry["groups"].empty(), place,
             "its groups are not an array");
      std::size_t total = 0;
      for (const json& group : entry["groups"]) {
        append_runs(group, place, family.groups.emplace_back());
        total += family.groups.back().size();
        demand(total <= static_cast<std::size_t>(schedule_.ranks), place,
               "it has more ranks than there are");
      }
    }
    schedule_.communicators.push_back(std::move(family));
  }

  void read_work(const json& entry) {
    const Place place{"work", schedule_.works.size()};
    only(entry, place, {"flops", "bytes", "bytes_write_allocate", "seconds"});
    Work work{number_of(entry, "flops", place), number_of(entry, "bytes", place),
              number_of(entry, "bytes_write_allocate", place), -1.0};
    if (entry.contains("seconds")) work.seconds = number_of(entry, "seconds", place);
    schedule_.works.push_back(work);
  }

  void read_list(const json& entry) {
    const Place place{"list", schedule_.lists.size()};
    demand(entry.is_array(), place, "it is not an array");
    auto& list = schedule_.lists.emplace_back();
    list.reserve(entry.size());
    for (const json& value : entry)
      list.push_back(integer(value, "entry", place, INT64_MIN, INT64_MAX));
  }

  void read_streams(const json& streams) {
    constexpr std::uint32_t none = UINT32_MAX;
    schedule_.stream_of_rank.assign(static_cast<std::size_t>(schedule_.ranks), none);
    for (const json& entry : streams) {
      const auto number = static_cast<std::uint32_t>(schedule_.streams.size());
      const Place place{"stream", number};
      only(entry, place, {"ranks", "operations"});
      std::vector<std::int32_t> ranks;
      append_runs(at(entry, "ranks", place), place, ranks);
      for (const std::int32_t rank : ranks) {
        std::uint32_t& own = schedule_.stream_of_rank[static_cast<std::size_t>(rank)];
        if (own != none) demand(false, place, fmt::format("rank {} has another stream", rank));
        own = number;
      }
      schedule_.streams.emplace_back();
      open_.clear();
      read_operations(at(entry, "operations", place), place, 0);
    }
    append_threads();
    for (std::size_t rank = 0; rank < schedule_.stream_of_rank.size(); ++rank)
      if (schedule_.stream_of_rank[rank] == none)
        demand(false, Place{"rank", rank}, "it has no stream");
  }

  // A thread's operations stand inside of its fork.
  void read_fork(const json& entry, const Place& stream) {
    only(entry, here(stream), {"do", "request", "operations", "in"});
    demand(!in_thread_, here(stream), "a thread cannot fork");
    json plain = entry;
    plain.erase("operations");
    Operation fork = read_operation(plain, name_of(Kind::fork), stream);
    fork.payload = static_cast<std::int32_t>(threads_.size());
    Stream around = std::exchange(schedule_.streams.back(), {});
    in_thread_ = true;
    read_operations(at(entry, "operations", stream), stream, 0);
    in_thread_ = false;
    threads_.push_back(std::exchange(schedule_.streams.back(), std::move(around)));
    schedule_.streams.back().push_back(fork);
  }

  void append_threads() {
    const auto first = static_cast<std::int32_t>(schedule_.streams.size());
    for (std::size_t i = 0; !threads_.empty() && i < schedule_.streams.size(); ++i)
      for (Operation& operation : schedule_.streams[i])
        if (operation.kind == Kind::fork) operation.payload += first;
    for (Stream& thread : threads_) schedule_.streams.push_back(std::move(thread));
  }

  Place here(const Place& stream) const {
    return {stream.what, stream.number, schedule_.streams.back().size()};
  }

  void read_operations(const json& operations, const Place& stream, int depth) {
    demand(operations.is_array(), stream, "its operations are not an array");
    if (depth > deepest_loop)
      demand(false, stream, fmt::format("loops are nested deeper than {}", deepest_loop));
    for (const json& entry : operations) {
      if (!entry.is_object()) demand(false, here(stream), "it is not an object");
      const auto found = entry.find("do");
      if (found == entry.end() || !found->is_string())
        demand(false, here(stream), "'do' is not a text");
      const std::string& what = found->get_ref<const std::string&>();
      if (what == name_of(Kind::loop_begin))
        read_loop(entry, stream, depth);
      else if (what == name_of(Kind::fork))
        read_fork(entry, stream);
      else
        schedule_.streams.back().push_back(read_operation(entry, what, stream));
    }
  }

  void read_loop(const json& entry, const Place& stream, int depth) {
    only(entry, here(stream), {"do", "times", "operations"});
    Stream& operations = schedule_.streams.back();
    const std::size_t begin = operations.size();
    Operation mark;
    mark.kind = Kind::loop_begin;
    mark.bytes = static_cast<std::uint64_t>(integer_of(entry, "times", here(stream), 0, INT64_MAX));
    operations.push_back(mark);
    read_operations(at(entry, "operations", here(stream)), stream, depth + 1);
    demand(operations.size() < INT32_MAX, stream, "it is too long");
    operations[begin].payload = static_cast<std::int32_t>(operations.size());
    mark.kind = Kind::loop_end;
    mark.bytes = 0;
    mark.payload = static_cast<std::int32_t>(begin);
    operations.push_back(mark);
  }

  Operation read_operation(const json& entry, const std::string& what, const Place& stream) {
    Operation o;
    const auto kind = kind_of_.find(what);
    const auto collective = collective_of_.find(what);
    if (kind == kind_of_.end() && collective == collective_of_.end())
      demand(false, here(stream), "there is no operation '" + what.substr(0, 40) + "'");
    if (kind != kind_of_.end())
      o.kind = kind->second;
    else
      o.kind = Kind::collective, o.collective = collective->second;
    if (o.kind == Kind::phase_begin || o.kind == Kind::phase_end)
      return read_mark(entry, o, stream);
    o.phase = open_.empty() ? no_phase : open_.back();
    std::size_t read = 1;  // fields, of which "do" is one
    if (const auto in = entry.find("in"); in != entry.end())
      o.phase = in->is_null() ? no_phase : phase_named(*in, stream), ++read;
    read +=
        o.kind == Kind::compute ? read_compute(entry, o, stream) : read_fields(entry, o, stream);
    if (read != entry.size())
      demand(false, here(stream), fmt::format("'{}' has a field that it cannot have", what));
    return o;
  }

  std::uint16_t phase_named(const json& name, const Place& stream) const {
    const auto found = name.is_string() ? phase_of_.find(name.get<std::string>()) : phase_of_.end();
    if (found == phase_of_.end()) demand(false, here(stream), "its phase is not listed");
    return static_cast<std::uint16_t>(found->second);
  }

  Operation read_mark(const json& entry, Operation o, const Place& stream) {
    only(entry, here(stream), {"do", "phase"});
    o.phase = phase_named(at(entry, "phase", here(stream)), stream);
    if (o.kind == Kind::phase_begin) {
      open_.push_back(o.phase);
    } else {
      demand(!open_.empty() && open_.back() == o.phase, here(stream),
             "a phase ends that is not the last begun");
      open_.pop_back();
    }
    return o;
  }

  std::size_t read_compute(const json& entry, Operation& o, const Place& stream) const {
    if (entry.contains("work"))
      o.payload = static_cast<std::int32_t>(integer_of(entry, "work", here(stream), 0, INT32_MAX));
    else
      o.seconds = number_of(entry, "seconds", here(stream));
    if (!entry.contains("cold_s")) return 1;
    o.cold_s = static_cast<float>(number_of(entry, "cold_s", here(stream)));
    return 2;
  }

  // Number of fields found.
  std::size_t read_fields(const json& entry, Operation& o, const Place& stream) const {
    const Fields fields = fields_of(o.kind);
    std::size_t found = 0;
    auto field = [&](Field which, const char* key) -> const json* {
      if (!((fields.required | fields.optional) & which)) return nullptr;
      const auto value = entry.find(key);
      if (value == entry.end()) {
        if (fields.required & which)
          demand(false, here(stream), fmt::format("'{}' is missing", key));
        return nullptr;
      }
      ++found;
      return &*value;
    };
    auto number = [&](Field which, const char* key, auto& target, std::int64_t least,
                      std::int64_t most) {
      using Target = std::remove_reference_t<decltype(target)>;
      if (const json* value = field(which, key))
        target = static_cast<Target>(integer(*value, key, here(stream), least, most));
    };
    o.relative_peer = (fields.required | fields.optional) & peer_field && entry.contains("shift");
    number(peer_field, o.relative_peer ? "shift" : "peer", o.peer, -most_ranks, most_ranks);
    number(root_field, "root", o.peer, 0, most_ranks);
    number(tag_field, "tag", o.tag, INT32_MIN, INT32_MAX);
    number(bytes_field, "bytes", o.bytes, 0, INT64_MAX);
    number(communicator_field, "communicator", o.communicator, 0, INT32_MAX);
    number(request_field, "request", o.request, 0, most_requests - 1);
    number(list_field, "list", o.payload, 0, INT32_MAX);
    number(piece_field, "piece", o.payload, 1, INT32_MAX);
    const auto flag = [&](Field which, const char* key, bool& target) {
      const json* value = field(which, key);
      if (value == nullptr) return;
      if (!value->is_boolean())
        demand(false, here(stream), fmt::format("'{}' is neither true nor false", key));
      target = value->get<bool>();
    };
    flag(grid_field, "grid", o.grid);
    flag(persistent_field, "persistent", o.persistent);
    if (const json* value = field(mode_field, "mode")) {
      const auto mode =
          value->is_string() ? mode_of_.find(value->get<std::string>()) : mode_of_.end();
      if (mode == mode_of_.end()) demand(false, here(stream), "its mode is not known");
      o.mode = mode->second;
    }
    return found;
  }

  Schedule schedule_;
  std::map<std::string, Kind> kind_of_;
  std::map<std::string, Collective> collective_of_;
  std::map<std::string, Mode> mode_of_;
  std::map<std::string, std::size_t> phase_of_;
  std::vector<std::uint16_t> open_;
  std::vector<Stream> threads_;
  bool in_thread_ = false;
};

// Requests whose numbers are far apart get small ones, since a replay keeps a place for each number
// up to the largest.
void close_up_requests(Stream& stream) {
  constexpr std::int32_t few = 64;
  std::int32_t largest = no_request;
  for (const Operation& operation : stream) largest = std::max(largest, operation.request);
  if (largest < few || static_cast<std::size_t>(largest) < stream.size()) return;
  std::map<std::int32_t, std::int32_t> small;
  for (Operation& operation : stream)
    if (operation.request != no_request)
      operation.request =
          small.emplace(operation.request, static_cast<std::int32_t>(small.size())).first->second;
}

}  // namespace

Schedule parse_json(const std::string& text, const std::string& name) {
  Schedule schedule = Reader(name).read(text);
  validate(schedule);
  // Threads, whose streams come after those of the ranks, share their rank's numbers.
  const std::size_t of_ranks =
      1 + *std::max_element(schedule.stream_of_rank.begin(), schedule.stream_of_rank.end());
  if (schedule.streams.size() > of_ranks) return schedule;
  for (Stream& stream : schedule.streams) close_up_requests(stream);
  return schedule;
}

Schedule read_json(const std::string& path) { return parse_json(base::read_file(path), path); }

}  // namespace hakaru::schedule
