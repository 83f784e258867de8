// Writes one rank's records as OTF2 events, in the order and form that Score-P gives them.
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "native/trace/convert/archive_writer.hpp"

namespace hakaru::trace {

class RankEvents {
 public:
  RankEvents(const World& world, const RawFile& file, ArchiveWriter& archive);
  ~RankEvents();
  RankEvents(const RankEvents&) = delete;
  RankEvents& operator=(const RankEvents&) = delete;

  // Throws base::UserError when the records contradict each other.
  void write();

 private:
  struct Thread {
    OTF2_EvtWriter* writer = nullptr;
    std::uint64_t last = 0;              // time of the last event
    std::vector<OTF2_RegionRef> phases;  // open
  };
  // A collective as OTF2 counts it, kept until a non-blocking one is complete.
  struct Collective {
    OTF2_CollectiveOp operation = 0;
    OTF2_CommRef communicator = 0;
    std::uint32_t root = 0;
    std::uint64_t sent = 0, received = 0;
    std::vector<std::pair<Attribute, OTF2_StringRef>> lists;
    bool grid = false;
  };
  struct Item {
    const hakaru_raw_item* what = nullptr;
    std::uint32_t words = 0;
  };

  void record(const RawRecord& record);
  void items_of(const RawRecord& record);
  std::uint32_t words_of(const RawRecord& record, std::uint32_t at) const;
  template <typename Type>
  const Type& as(const Item& item) const {
    return *reinterpret_cast<const Type*>(item.what);
  }
  void at_enter(const Item& item, std::size_t index);
  OTF2_AttributeList* in_pieces(std::size_t index);
  OTF2_AttributeList* before_call();
  void sensed(std::uint64_t ticks);
  void at_leave(const Item& item, std::size_t index);
  // What OTF2 or the raw trace cannot tell is counted by name.
  bool tellable(const Item& item);
  // The table's entry that knows the operation: of a persistent one the call that made it.
  const hakaru_raw_call& call_of(const hakaru_raw_collective& item) const;
  void collective_begin(const Item& item, std::size_t index);
  Collective collective_of(const Item& item, std::size_t index);
  void neighbours(const Item& item, std::size_t index, std::uint32_t communicator,
                  Collective& collective);
  void write_collective(const Collective& collective, const std::uint32_t* request);
  void window_sync_enter(const Item& item);
  void window_sync_leave(const Item& item, std::size_t index);
  void finish_accesses(std::uint32_t window, std::int64_t target);
  void remote(const Item& item);
  void file_enter(const Item& item);
  void file_leave(const Item& item);
  bool mark(const RawRecord& record);
  void begin_phase(const std::string& name);
  void end_phase(const std::string& name);
  void probed(const Item& item);
  bool is_spawn() const;
  void spawned(std::uint32_t made);
  std::vector<std::int64_t> counts_of(const Item& item) const;
  bool outside(std::uint32_t local) const;
  std::uint32_t communicator(std::uint32_t local) const;
  std::uint32_t window(std::uint32_t local) const;
  std::uint32_t file(std::uint32_t local) const;
  std::uint64_t tick(std::uint64_t ticks);
  void flushed(const RawRecord& record);
  void flush();
  void finish();
  double nanoseconds_per_tick() const;
  void add_costs(LocationEntry& entry) const;

  const World& world_;
  const RawFile& file_;
  ArchiveWriter& archive_;
  RankNumbers numbers_;
  const Clock& clock_;
  std::map<std::int32_t, Thread> threads_;
  Thread* thread_ = nullptr;
  OTF2_AttributeList* attributes_;
  std::vector<Item> items_;  // of this record
  std::uint64_t enter_ = 0, leave_ = 0;
  std::uint32_t call_ = 0;
  bool joins_worlds_ = false;                      // this record is a spawn, on either side
  bool handle_ = false;                            // this record makes or frees a window or a file
  std::uint64_t flush_begin_ = 0, flush_end_ = 0;  // ticks, after this record; 0: none

  // Begun and recorded: others were to MPI_PROC_NULL or began while recording was off.
  std::unordered_set<std::uint32_t> open_requests_;
  std::uint64_t freed_requests_ = 0;
  std::unordered_set<std::uint64_t> open_file_operations_;
  std::unordered_map<std::uint32_t, Collective> collectives_;
  std::unordered_map<std::uint32_t, std::uint32_t> window_of_request_;
  std::map<std::uint32_t, std::set<std::uint32_t>>
      accessed_;  // window -> targets with open accesses
  std::map<std::pair<std::uint32_t, bool>, OTF2_GroupRef> epoch_groups_;  // (window, exposure)
  std::map<std::uint32_t, std::uint64_t> split_operations_;               // file -> matching id
  std::uint64_t matching_ = 1ull << 62;
  std::map<std::string, std::uint64_t> uncovered_;
};

}  // namespace hakaru::trace
