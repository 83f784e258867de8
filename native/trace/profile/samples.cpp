#include "native/trace/profile/samples.hpp"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "native/base/require.hpp"

namespace hakaru::trace::profile {
namespace {

std::string text_of(const char* text, std::size_t most) { return {text, strnlen(text, most)}; }

template <class Record>
Record as(const std::string& data) {
  Record record;
  std::memcpy(&record, data.data(), sizeof record);
  return record;
}

// FNV-1a over the words of a record, its check taken as 0.
std::uint32_t check_of(const std::string& record) {
  std::uint64_t hash = 14695981039346656037u;
  for (std::size_t at = 0; at < record.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, record.data() + at, 8);
    if (at == 0) word &= 0xffffffffu;
    hash = (hash ^ word) * 1099511628211u;
  }
  return static_cast<std::uint32_t>(hash >> 32);
}

class Reader {
 public:
  explicit Reader(Process& process) : process_(process) {}

  // False when the record is none.
  bool read(const std::string& data) {
    const auto head = as<hakaru_watch_head>(data).head;
    switch (HAKARU_WATCH_KIND(head)) {
      case HAKARU_WATCH_MODULE:
        return fits<hakaru_watch_module>(data) && module(data);
      case HAKARU_WATCH_THREAD:
        return fits<hakaru_watch_thread>(data) && thread(data);
      case HAKARU_WATCH_PHASE:
        return fits<hakaru_watch_text>(data) && phase(data);
      case HAKARU_WATCH_WORLD:
        return fits<hakaru_watch_world>(data) && world(data);
      case HAKARU_WATCH_CHAIN:
        return fits<hakaru_watch_chain>(data) && chain(data);
      case HAKARU_WATCH_SAMPLE:
        return fits<hakaru_watch_sample>(data) && sample(data);
      case HAKARU_WATCH_END:
        return fits<hakaru_watch_end>(data) && end(data);
      case HAKARU_WATCH_ASIDE:
        return process_.aside = true;
      default:
        return false;
    }
  }

 private:
  template <class Record>
  static bool fits(const std::string& data) {
    return data.size() >= sizeof(Record);
  }

  bool module(const std::string& data) {
    const auto record = as<hakaru_watch_module>(data);
    const std::size_t id_at = sizeof record, path_at = id_at + (record.build_id_length + 7) / 8 * 8;
    if (record.build_id_length > 64 || path_at + record.path_length > data.size()) return false;
    std::string id;
    for (std::size_t i = 0; i < record.build_id_length; i++)
      id += fmt::format("{:02x}", static_cast<unsigned char>(data[id_at + i]));
    process_.modules.push_back({record.begin, record.end, record.bias, record.bytes, record.time_ns,
                                id, data.substr(path_at, record.path_length)});
    return true;
  }

  bool thread(const std::string& data) {
    const auto record = as<hakaru_watch_thread>(data);
    process_.threads[record.number] = text_of(record.name, sizeof record.name);
    return true;
  }

  bool phase(const std::string& data) {
    const auto record = as<hakaru_watch_text>(data);
    if (sizeof record + record.length > data.size()) return false;
    process_.phases[record.number] = data.substr(sizeof record, record.length);
    return true;
  }

  bool world(const std::string& data) {
    const auto record = as<hakaru_watch_world>(data);
    process_.rank = record.rank;
    process_.world_size = record.size;
    process_.world_id = record.world_id;
    return true;
  }

  bool chain(const std::string& data) {
    const auto record = as<hakaru_watch_chain>(data);
    Chain found{{}, record.flags};
    for (std::size_t at = sizeof record; at + 8 <= data.size(); at += 8)
      found.callers.push_back(place_of(as<std::uint64_t>(data.substr(at, 8))));
    process_.chains[record.number] = std::move(found);
    return true;
  }

  bool sample(const std::string& data) {
    const auto record = as<hakaru_watch_sample>(data);
    if (!process_.chains.count(record.chain)) return false;
    if (record.phase != 0 && !process_.phases.count(record.phase)) return false;
    Counts& counts =
        process_.stacks[{record.thread, record.phase, record.chain, place_of(record.address)}];
    counts.samples++;
    counts.periods += record.weight;
    if (process_.first_ns == 0) process_.first_ns = record.time_ns;
    process_.last_ns = record.time_ns;
    return true;
  }

  bool end(const std::string& data) {
    process_.end = as<hakaru_watch_end>(data);
    return process_.ended = true;
  }

  // The latest that was told of what lies there: a library may have been loaded where another was.
  Place place_of(std::uint64_t address) const {
    for (int i = static_cast<int>(process_.modules.size()); i-- > 0;)
      if (address >= process_.modules[i].begin && address < process_.modules[i].end)
        return {i, address};
    return {Place::none, address};
  }

  Process& process_;
};

hakaru_watch_header header_of(std::istream& file, const std::filesystem::path& path) {
  hakaru_watch_header header{};
  const std::string problem = path.string() + " cannot be read";
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  base::require_environment(file.gcount() == sizeof header, problem, "it ends inside its header");
  base::require_environment(std::memcmp(header.magic, HAKARU_WATCH_SAMPLES, 8) == 0, problem,
                            "it does not begin as samples do");
  base::require_environment(header.version == HAKARU_WATCH_VERSION &&
                                header.endian == HAKARU_WATCH_ENDIAN &&
                                header.header_bytes == sizeof header && header.period_ns > 0,
                            problem, "its version or byte order is another one");
  return header;
}

std::string record_at(std::istream& file, std::string& damage, std::uint64_t at) {
  std::string data(8, '\0');
  file.read(data.data(), 8);
  if (file.gcount() == 0) return "";
  const std::uint64_t bytes = 8u * HAKARU_WATCH_WORDS(as<hakaru_watch_head>(data).head);
  const bool whole = file.gcount() == 8 && bytes >= 8;
  if (whole) {
    data.resize(bytes);
    file.read(data.data() + 8, static_cast<std::streamsize>(bytes - 8));
    if (file.gcount() == static_cast<std::streamsize>(bytes - 8)) return data;
  }
  damage = whole || file.gcount() < 8 ? fmt::format("it ends inside the record at byte {}", at)
                                      : fmt::format("the record at byte {} is damaged", at);
  return "";
}

}  // namespace

Process read_samples(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  base::require_environment(file.good(), path.string() + " cannot be opened");
  Process process{};
  process.file = path.filename().string();
  process.header = header_of(file, path);
  process.rank = process.header.rank;
  process.world_size = process.header.world_size;
  Reader reader(process);
  for (std::uint64_t at = sizeof process.header;;) {
    const std::string data = record_at(file, process.damage, at);
    if (data.empty()) return process;
    if (check_of(data) != as<hakaru_watch_head>(data).check || !reader.read(data)) {
      process.damage = fmt::format("the record at byte {} is damaged", at);
      return process;
    }
    at += data.size();
  }
}

}  // namespace hakaru::trace::profile
