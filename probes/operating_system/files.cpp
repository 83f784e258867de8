// Files made and deleted, and mapped: LMbench's lat_fs and lat_mmap.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "native/base/clock.hpp"
#include "probes/operating_system/system_handles.hpp"

namespace hakaru::probes::operating_system {
namespace {

using Values = std::vector<double>;

constexpr int most_of_a_folder = 100;  // LMbench's, so that no folder becomes large

std::vector<std::string> names_in(const Folder& folder) {
  std::vector<std::string> names;
  for (int i = 0; i < most_of_a_folder; ++i) names.push_back(folder.path(std::to_string(i)));
  return names;
}

void create(const std::vector<std::string>& names, const std::vector<char>& contents) {
  for (const std::string& name : names) {
    const Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666));
    if (file.number() < 0) unavailable(fmt::format("{} cannot be made", name));
    if (!contents.empty() && ::write(file.number(), contents.data(), contents.size()) !=
                                 static_cast<ssize_t>(contents.size()))
      unavailable(fmt::format("{} bytes cannot be written", contents.size()));
  }
}

std::int64_t removed(const std::vector<std::string>& names) {
  std::int64_t done = 0;
  for (const std::string& name : names) done += ::unlink(name.c_str()) == 0;
  return done;
}

struct Times {
  Values create_s, remove_s;
};

// Folders of a hundred files, filled and emptied by turns, until a sample lasts long enough.
Times files_made(const Conditions& conditions, Truth& truth, std::int64_t bytes) {
  const Folder folder(conditions.folder);
  const std::vector<std::string> names = names_in(folder);
  const std::vector<char> contents(static_cast<std::size_t>(bytes), 'h');
  Times found;
  std::int64_t gone = 0, made = 0;
  for (int sample = -1; sample < conditions.sampling.samples; ++sample) {
    double create_s = 0.0, remove_s = 0.0;
    std::int64_t files = 0;
    while (std::min(create_s, remove_s) < conditions.sampling.least_s && files < 100'000) {
      const double start = base::now_s();
      create(names, contents);
      const double middle = base::now_s();
      gone += removed(names);
      create_s += middle - start;
      remove_s += base::now_s() - middle;
      files += most_of_a_folder;
    }
    made += files;
    if (sample < 0) continue;  // warms
    found.create_s.push_back(create_s / static_cast<double>(files));
    found.remove_s.push_back(remove_s / static_cast<double>(files));
  }
  truth.equal("files made and deleted", static_cast<double>(gone), static_cast<double>(made));
  return found;
}

// LMbench maps a file, writes a byte every 16 KiB of its first tenth, and takes it away again.
Values mapping(const Conditions& conditions, Truth& truth) {
  constexpr std::int64_t between_bytes = 16 << 10, share = 10;
  const Folder folder(conditions.folder);
  const std::string path = folder.path("file");
  write_file(path, conditions.file_bytes);
  const Descriptor file = opened(path, O_RDWR);
  const auto bytes = static_cast<std::size_t>(conditions.file_bytes);
  char written = 0;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Mapping map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number());
      written = static_cast<char>((i & 63) + 1);
      for (std::int64_t at = 0; at < conditions.file_bytes / share; at += between_bytes)
        map.data()[at] = static_cast<std::byte>(written);
    }
  });
  char last = 0;
  const std::int64_t place = (conditions.file_bytes / share - 1) / between_bytes * between_bytes;
  if (::pread(file.number(), &last, 1, place) != 1) unavailable("the mapped file cannot be read");
  truth.equal("bytes written through a mapping", last, written);
  return found;
}

}  // namespace

void add_files(Items& items) {
  for (std::int64_t kibibytes : {0, 1, 4, 10}) {
    const auto made = [bytes = kibibytes * 1024](const Conditions& conditions, Truth& truth) {
      return files_made(conditions, truth, bytes);
    };
    items.push_back({"file-vm", fmt::format("{}K File Create", kibibytes), 0,
                     [made](const Conditions& conditions, Truth& truth) {
                       return made(conditions, truth).create_s;
                     }});
    items.push_back({"file-vm", fmt::format("{}K File Delete", kibibytes), 0,
                     [made](const Conditions& conditions, Truth& truth) {
                       return made(conditions, truth).remove_s;
                     }});
  }
  items.push_back({"file-vm", "Mmap Latency", 0, mapping});
}

}  // namespace hakaru::probes::operating_system
