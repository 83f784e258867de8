// Small OTF2 archives for tests, written event by event in the form that Score-P gives them.
#pragma once

#include <gtest/gtest.h>
#include <otf2/otf2.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace hakaru::trace {

class TestArchive {
 public:
  static constexpr std::uint64_t ticks_per_second = 1'000'000'000;
  static constexpr OTF2_CommRef world = 0, self = 1;

  explicit TestArchive(std::uint32_t ranks) : ranks_(ranks), time_(ranks, 1000), events_(ranks, 0) {
    folder_ = std::filesystem::temp_directory_path() /
              ("hakaru_test_archive_" + std::to_string(getpid()) + "_" + std::to_string(count_++));
    std::filesystem::remove_all(folder_);
    archive_ =
        OTF2_Archive_Open(folder_.c_str(), "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                          OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    static const OTF2_FlushCallbacks flush = {
        [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) -> OTF2_FlushType {
          return OTF2_FLUSH;
        },
        [](void*, OTF2_FileType, OTF2_LocationRef) -> OTF2_TimeStamp { return 0; }};
    OTF2_Archive_SetFlushCallbacks(archive_, &flush, nullptr);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive_);
    OTF2_Archive_SetCreator(archive_, "hakaru test");
    OTF2_Archive_OpenEvtFiles(archive_);
    std::vector<std::uint64_t> all;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      writers_.push_back(OTF2_Archive_GetEvtWriter(archive_, rank));
      process_.push_back(rank);
      all.push_back(rank);
    }
    groups_.push_back({OTF2_GROUP_TYPE_COMM_LOCATIONS, all});
    groups_.push_back({OTF2_GROUP_TYPE_COMM_GROUP, all});
    groups_.push_back({OTF2_GROUP_TYPE_COMM_SELF, {}});
    communicators_.push_back({1, OTF2_UNDEFINED_COMM});
    communicators_.push_back({2, OTF2_UNDEFINED_COMM});
  }
  ~TestArchive() {
    if (archive_) close();
    std::filesystem::remove_all(folder_);
  }
  TestArchive(const TestArchive&) = delete;
  TestArchive& operator=(const TestArchive&) = delete;

  // Another thread of the rank; its number stands for a rank in what writes events.
  std::uint32_t thread(std::uint32_t rank) {
    const auto location = static_cast<std::uint32_t>(writers_.size());
    writers_.push_back(OTF2_Archive_GetEvtWriter(archive_, location));
    process_.push_back(rank);
    time_.push_back(1000);
    events_.push_back(0);
    return location;
  }
  OTF2_RegionRef region(const std::string& name, OTF2_Paradigm paradigm = OTF2_PARADIGM_MPI,
                        const std::string& description = "") {
    const auto [place, fresh] =
        regions_.try_emplace(name, static_cast<OTF2_RegionRef>(regions_.size()));
    if (fresh) region_definitions_.push_back({string(name), string(description), paradigm});
    return place->second;
  }
  OTF2_StringRef string(const std::string& text) {
    const auto [place, fresh] =
        strings_.try_emplace(text, static_cast<OTF2_StringRef>(strings_.size()));
    return place->second;
  }
  OTF2_AttributeRef attribute(const std::string& name, OTF2_Type type) {
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      if (attributes_[i].first == string(name)) return static_cast<OTF2_AttributeRef>(i);
    }
    attributes_.emplace_back(string(name), type);
    return static_cast<OTF2_AttributeRef>(attributes_.size() - 1);
  }
  OTF2_GroupRef group(const std::vector<std::uint64_t>& members) {
    groups_.push_back({OTF2_GROUP_TYPE_COMM_GROUP, members});
    return static_cast<OTF2_GroupRef>(groups_.size() - 1);
  }
  OTF2_CommRef communicator(const std::vector<std::uint64_t>& members,
                            OTF2_CommRef parent = world) {
    communicators_.push_back({group(members), parent});
    return static_cast<OTF2_CommRef>(communicators_.size() - 1);
  }
  OTF2_CommRef intercommunicator(const std::vector<std::uint64_t>& a,
                                 const std::vector<std::uint64_t>& b) {
    const OTF2_CommRef made = communicator(a);
    remote_groups_[made] = group(b);
    return made;
  }
  OTF2_RmaWinRef window(OTF2_CommRef communicator, const std::string& name = "") {
    windows_.emplace_back(communicator, name.empty() ? string("") : string(name));
    return static_cast<OTF2_RmaWinRef>(windows_.size() - 1);
  }
  OTF2_IoHandleRef file(OTF2_CommRef communicator) {
    files_.push_back(communicator);
    return static_cast<OTF2_IoHandleRef>(files_.size() - 1);
  }

  OTF2_EvtWriter* writer(std::uint32_t rank) { return writers_[rank]; }
  // Each event is written through here: counts it and lets `ticks` pass before it.
  OTF2_TimeStamp at(std::uint32_t rank, std::uint64_t ticks = 0) {
    ++events_[rank];
    return time_[rank] += ticks;
  }
  void enter(std::uint32_t rank, const std::string& name, std::uint64_t after = 100) {
    OTF2_EvtWriter_Enter(writers_[rank], nullptr, at(rank, after), region(name));
  }
  void leave(std::uint32_t rank, const std::string& name, std::uint64_t after = 10) {
    OTF2_EvtWriter_Leave(writers_[rank], nullptr, at(rank, after), region(name));
  }
  // `inside` writes the events between Enter and Leave.
  template <typename Inside>
  void call(std::uint32_t rank, const std::string& name, Inside&& inside,
            std::uint64_t compute = 100, std::uint64_t duration = 10) {
    enter(rank, name, compute);
    inside(writers_[rank]);
    leave(rank, name, duration);
  }
  void call(std::uint32_t rank, const std::string& name) {
    call(rank, name, [](OTF2_EvtWriter*) {});
  }
  void collective(std::uint32_t rank, const std::string& name, OTF2_CollectiveOp operation,
                  OTF2_CommRef communicator, std::uint32_t root, std::uint64_t sent,
                  std::uint64_t received, std::uint64_t compute = 100,
                  std::uint64_t duration = 10) {
    call(
        rank, name,
        [&](OTF2_EvtWriter* w) {
          OTF2_EvtWriter_MpiCollectiveBegin(w, nullptr, at(rank));
          time_[rank] += duration;
          OTF2_EvtWriter_MpiCollectiveEnd(w, nullptr, at(rank), operation, communicator, root, sent,
                                          received);
        },
        compute, 0);
  }
  void say_events(std::uint32_t rank, std::uint64_t events) { claimed_[rank] = events; }

  // Writes the definitions and gives the anchor's path.
  std::string close() {
    for (OTF2_EvtWriter* writer : writers_) OTF2_Archive_CloseEvtWriter(archive_, writer);
    OTF2_Archive_CloseEvtFiles(archive_);
    OTF2_Archive_OpenDefFiles(archive_);
    for (std::uint32_t location = 0; location < process_.size(); ++location) {
      OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, location));
    }
    OTF2_Archive_CloseDefFiles(archive_);
    define();
    OTF2_Archive_Close(archive_);
    archive_ = nullptr;
    return (folder_ / "traces.otf2").string();
  }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  struct RegionDefinition {
    OTF2_StringRef name, description;
    OTF2_Paradigm paradigm;
  };

  void define() {
    OTF2_GlobalDefWriter* d = OTF2_Archive_GetGlobalDefWriter(archive_);
    const OTF2_StringRef empty = string(""), node = string("node"), host = string("host"),
                         io = string("MPI-IO");
    OTF2_GlobalDefWriter_WriteClockProperties(d, ticks_per_second, 1000, 1'000'000'000,
                                              OTF2_UNDEFINED_TIMESTAMP);
    for (const auto& [text, reference] : strings_)
      OTF2_GlobalDefWriter_WriteString(d, reference, text.c_str());
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, host, node, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      OTF2_GlobalDefWriter_WriteLocationGroup(d, rank, empty, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                              OTF2_UNDEFINED_LOCATION_GROUP);
    }
    for (std::uint32_t location = 0; location < process_.size(); ++location) {
      const std::uint64_t events =
          claimed_.count(location) ? claimed_[location] : events_[location];
      OTF2_GlobalDefWriter_WriteLocation(d, location, empty, OTF2_LOCATION_TYPE_CPU_THREAD, events,
                                         process_[location]);
    }
    for (std::size_t i = 0; i < region_definitions_.size(); ++i) {
      const RegionDefinition& r = region_definitions_[i];
      OTF2_GlobalDefWriter_WriteRegion(d, static_cast<OTF2_RegionRef>(i), r.name, r.name,
                                       r.description, OTF2_REGION_ROLE_FUNCTION, r.paradigm,
                                       OTF2_REGION_FLAG_NONE, empty, 0, 0);
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      OTF2_GlobalDefWriter_WriteGroup(d, static_cast<OTF2_GroupRef>(i), empty, groups_[i].first,
                                      OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                      static_cast<std::uint32_t>(groups_[i].second.size()),
                                      groups_[i].second.data());
    }
    for (std::size_t i = 0; i < communicators_.size(); ++i) {
      const auto remote = remote_groups_.find(static_cast<OTF2_CommRef>(i));
      if (remote != remote_groups_.end()) {
        OTF2_GlobalDefWriter_WriteInterComm(d, remote->first, empty, communicators_[i].first,
                                            remote->second, communicators_[i].second,
                                            OTF2_COMM_FLAG_NONE);
        continue;
      }
      OTF2_GlobalDefWriter_WriteComm(d, static_cast<OTF2_CommRef>(i), empty,
                                     communicators_[i].first, communicators_[i].second,
                                     OTF2_COMM_FLAG_NONE);
    }
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      OTF2_GlobalDefWriter_WriteRmaWin(d, static_cast<OTF2_RmaWinRef>(i), windows_[i].second,
                                       windows_[i].first, OTF2_RMA_WIN_FLAG_NONE);
    }
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      OTF2_GlobalDefWriter_WriteAttribute(d, static_cast<OTF2_AttributeRef>(i),
                                          attributes_[i].first, empty, attributes_[i].second);
    }
    if (!files_.empty()) {
      OTF2_GlobalDefWriter_WriteIoParadigm(d, 0, io, io, OTF2_IO_PARADIGM_CLASS_PARALLEL,
                                           OTF2_IO_PARADIGM_FLAG_NONE, 0, nullptr, nullptr,
                                           nullptr);
      OTF2_GlobalDefWriter_WriteIoRegularFile(d, 0, empty, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    }
    for (std::size_t i = 0; i < files_.size(); ++i) {
      OTF2_GlobalDefWriter_WriteIoHandle(d, static_cast<OTF2_IoHandleRef>(i), empty, 0, 0,
                                         OTF2_IO_HANDLE_FLAG_NONE, files_[i],
                                         OTF2_UNDEFINED_IO_HANDLE);
    }
  }

  inline static int count_ = 0;
  std::uint32_t ranks_;
  std::filesystem::path folder_;
  OTF2_Archive* archive_ = nullptr;
  std::vector<OTF2_EvtWriter*> writers_;
  std::vector<std::uint32_t> process_;
  std::vector<std::uint64_t> time_, events_;
  std::map<std::uint32_t, std::uint64_t> claimed_;
  std::map<std::string, OTF2_RegionRef> regions_;
  std::map<std::string, OTF2_StringRef> strings_;
  std::vector<RegionDefinition> region_definitions_;
  std::vector<std::pair<OTF2_GroupType, std::vector<std::uint64_t>>> groups_;
  std::vector<std::pair<OTF2_GroupRef, OTF2_CommRef>> communicators_;
  std::map<OTF2_CommRef, OTF2_GroupRef> remote_groups_;
  std::vector<std::pair<OTF2_CommRef, OTF2_StringRef>> windows_;
  std::vector<OTF2_CommRef> files_;
  std::vector<std::pair<OTF2_StringRef, OTF2_Type>> attributes_;
};

}  // namespace hakaru::trace
