// Turns the events of one rank, in order, into its stream of operations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "native/trace/reader/definitions.hpp"
#include "native/trace/reader/request_table.hpp"
#include "native/trace/reader/shared_keys.hpp"
#include "native/trace/reader/trace.hpp"

namespace hakaru::trace {

// What an inter-communicator's collectives need: its two groups, and messages between them that
// match none of the program's own.
struct InterFamilies {
  std::uint32_t local = 0, across = 0;
};

// Throws where operations have no number for the last of so many phases.
void require_numbered(std::size_t phases);

// What the streams of all ranks share and fill.
struct Shared {
  Shared(Definitions& given, const ReadOptions& wanted) : definitions(given), options(wanted) {}

  Definitions& definitions;
  const ReadOptions& options;
  std::vector<schedule::Phase> phases;
  std::vector<std::vector<std::int64_t>> lists;
  std::int32_t next_stream = 0;   // of a thread
  schedule::Stream spare_stream;  // of the last rank, for its memory
  std::vector<OperationTime> spare_times;
  std::map<std::string, std::uint16_t> phase_of_name;
  std::map<std::vector<std::int64_t>, std::int32_t> list_of_values;
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::uint32_t>
      window_families;  // (family, how many windows before it, created)

  std::map<std::uint32_t, InterFamilies> inters;  // by family

  InterFamilies inter_families(const Communicator& communicator);
  std::uint16_t phase(const Region& region);
  std::int32_t list(const std::vector<std::int64_t>& values);
  std::uint32_t self_family();
  // Windows that exist together on one communicator have families of their own, lest a fence of one
  // complete the puts of another. So have those whose memory the program gave.
  std::uint32_t window_family(std::uint32_t family, std::uint32_t slot, bool created);
};

// Additional facts that hakaru's own archives attach to an event.
struct Attributes {
  std::vector<std::int64_t> sent_to, received_from;  // bytes by rank of the communicator
  std::vector<std::int64_t> neighbours_out,
      neighbours_in;  // (rank of the communicator, bytes) pairs
  bool neighbours = false;
  bool grid = false;        // their topology is Cartesian
  std::int32_t mode = -1;   // of sends
  bool persistent = false;  // of sends
  // Of a call: for how long another had the processor; for how long before it caches were sensed,
  // of it longer than when nothing was between.
  std::uint64_t delayed_ns = 0, sensed_ns = 0, cold_ns = 0;
  bool has_probe = false;
  std::uint32_t probe_source = 0;
  std::int32_t probe_tag = 0;
  std::uint32_t probe_communicator = 0;
  std::uint64_t probe_bytes = 0;
  std::int32_t received_flag = 0, sent_flag = 0;  // of PUT and GET
  std::uint64_t stride_items = 0, flag_raises = 0;
  bool spawn = false;  // of the creation of an inter-communicator, on either side
  std::uint64_t spawn_start_up_ns = 0;
  std::uint32_t piece_bytes = 0;  // of a message, see schedule::Operation::payload
};

struct CollectiveEvent {
  OTF2_CollectiveOp operation;
  OTF2_CommRef communicator;
  std::uint32_t root;
  std::uint64_t sent, received;
};

// Every function may throw base::UserError: events that no program can have made.
class RankBuilder {
 public:
  RankBuilder(Shared& shared, std::int32_t rank);

  void enter(std::uint64_t time, std::uint32_t region, const Attributes& attributes = {});
  void leave(std::uint64_t time, std::uint32_t region, const Attributes& attributes);

  void send(std::uint64_t time, std::uint32_t receiver, std::uint32_t communicator,
            std::uint32_t tag, std::uint64_t bytes, std::uint32_t piece_bytes = 0);
  void receive(std::uint64_t time, std::uint32_t sender, std::uint32_t communicator,
               std::uint32_t tag, std::uint64_t bytes, std::uint32_t piece_bytes = 0);
  void isend(std::uint64_t time, std::uint32_t receiver, std::uint32_t communicator,
             std::uint32_t tag, std::uint64_t bytes, std::uint64_t request,
             const Attributes& attributes);
  void ireceive_begin(std::uint64_t time, std::uint64_t request);
  void ireceive_end(std::uint64_t time, std::uint32_t sender, std::uint32_t communicator,
                    std::uint32_t tag, std::uint64_t bytes, std::uint64_t request,
                    std::uint32_t piece_bytes = 0);
  void isend_end(std::uint64_t time, std::uint64_t request);
  void cancelled(std::uint64_t time, std::uint64_t request);
  void tested(std::uint64_t time, std::uint64_t request);  // it was not complete
  void collective(std::uint64_t time, const CollectiveEvent& event, const Attributes& attributes);
  void icollective_begin(std::uint64_t time, std::uint64_t request);
  void icollective_end(std::uint64_t time, const CollectiveEvent& event, std::uint64_t request,
                       const Attributes& attributes);

  void window_made(std::uint64_t time, std::uint32_t window);
  void window_freed(std::uint64_t time, std::uint32_t window);
  void window_collective(std::uint64_t time,
                         const CollectiveEvent& event);  // communicator: the window
  void group_sync(std::uint64_t time, std::uint32_t window, std::uint32_t group);
  void lock(std::uint64_t time, std::uint32_t window, std::uint32_t target);
  void unlock(std::uint64_t time, std::uint32_t window, std::uint32_t target);
  void window_sync(std::uint64_t time, std::uint32_t window, std::uint32_t target);
  void remote_access(std::uint64_t time, schedule::Kind kind, std::uint32_t window,
                     std::uint32_t target, std::uint64_t bytes, std::uint64_t matching,
                     const Attributes& attributes);
  void flag_wait(std::uint64_t time, const Attributes& attributes);
  void remote_access_end(std::uint64_t time, std::uint32_t window, std::uint64_t matching);

  void file_opened(std::uint64_t time, std::uint32_t file);
  void file_closed(std::uint64_t time, std::uint32_t file);
  void file_begin(std::uint64_t time, std::uint32_t file, OTF2_IoOperationMode mode,
                  bool collective, std::uint64_t bytes, std::uint64_t matching);
  void file_end(std::uint64_t time, std::uint32_t file, std::uint64_t bytes,
                std::uint64_t matching);

  void recording(std::uint64_t time, bool on);
  void flush(std::uint64_t begin, std::uint64_t end);  // of the tracer's buffers
  void program_end(std::uint64_t time);
  void other(std::uint64_t time) { advance(time); }

  // Several threads of the rank (rank_threads.cpp). Lane 0 is the rank's own stream.
  void read_merged() { merged_ = true; }  // times may go back by as much as a call lasts
  void fork(std::uint64_t time, std::size_t threads);  // lanes 1 to `threads`
  void use_lane(std::size_t number);
  void join(std::uint64_t time);
  void cut_inside(const Region& call);
  void add_events(std::uint64_t events) { result_.events += events; }

  // Closes the stream: what is still open becomes a sign of an early end.
  void finish();

  schedule::Stream& stream() { return stream_; }
  std::vector<OperationTime>& times() { return times_; }
  RankTrace& result() { return result_; }
  struct Written {
    schedule::Stream stream;
    std::vector<OperationTime> times;
  };
  std::vector<Written>& forked() { return forked_; }
  // Messages in the order in which several threads posted them.
  const std::vector<Posting>& posted() const { return posted_; }

 private:
  struct OpenFileOperation {
    OTF2_IoOperationMode mode;
    bool collective;
  };
  // Failed tests, see polling_gap_s; `request` is what they tested, when it was one that is known.
  struct Polling {
    static constexpr std::uint64_t unknown = ~0ull;
    using Seconds = std::vector<std::pair<SilentCall*, double>>;
    bool active = false;
    std::uint64_t begin = 0, last = 0, tests = 0;  // since the last pause
    std::uint64_t earlier = 0;                     // ticks of polling before it
    std::uint64_t request = unknown;
    Seconds now, before;

    static void add(Seconds& to, SilentCall* call, double seconds);
    void pause();
  };
  // What the builder keeps of a thread while it reads another one's calls.
  struct Lane {
    std::uint64_t stream = 0;  // 0: the rank's own; else of forked_, plus 1
    std::uint64_t first = 0;   // of the rank's own: what stands before began before the others
    std::int32_t joined_by = schedule::no_request;
    std::uint64_t now = 0, compute_since = 0, compute_ticks = 0, owed_ticks = 0, burst_begin = 0;
    Polling polling;
    std::vector<std::int32_t> free_requests;
  };
  struct RemoteAccess {
    std::int32_t peer = -1;
    std::uint32_t family = 0;
    std::int32_t request = -1;
  };

  const Location& own_location() const;
  void advance(std::uint64_t time);
  Written& written(std::uint64_t stream);
  void exchange(Lane& lane);
  void refuse_beside(schedule::Kind kind) const;
  void note_posted(schedule::Kind kind);
  // Where an operation stands: its stream and its index.
  static constexpr unsigned stream_shift = 40;
  schedule::Operation& operation_at(std::uint64_t place) {
    const std::uint64_t stream = place >> stream_shift,
                        index = place & ((1ull << stream_shift) - 1);
    return (stream == lane_stream_ ? stream_ : written(stream).stream)[index];
  }
  [[noreturn]] void impossible(const std::string& what) const;
  double seconds_at(std::uint64_t time) const;

  struct Membership {
    const Communicator* communicator = nullptr;
    std::int32_t size = 0;
    std::int32_t own_rank = -1;
  };
  const Membership& member_of(std::uint32_t reference);
  const Membership& member_of_window(std::uint32_t window);
  void place_lock(schedule::Kind kind, const Membership& in, std::uint32_t window,
                  std::uint32_t target);
  std::int32_t world_rank(const Membership& in, std::uint32_t rank) const;
  std::uint32_t window_family(std::uint32_t window);

  schedule::Operation message(schedule::Kind kind, std::uint32_t peer, std::uint32_t communicator,
                              std::uint32_t tag, std::uint64_t bytes,
                              std::uint32_t piece_bytes = 0);
  schedule::Operation describe(const CollectiveEvent& event, const Attributes& attributes);
  void describe_bytes(const CollectiveEvent& event, const Membership& in,
                      schedule::Operation& operation) const;
  bool between_groups(const CollectiveEvent& event);
  void inter_collective(const CollectiveEvent& event, const Attributes& attributes);
  void spawn(const CollectiveEvent& event, const Attributes& attributes);
  std::int32_t neighbour_list(const Attributes& attributes, const Membership& in);
  schedule::Operation file_operation(std::uint32_t file, schedule::Kind kind, std::uint64_t bytes,
                                     bool collective);

  void place(schedule::Operation operation);
  void place_making(const schedule::Operation& barrier);
  void read_costs();
  std::uint64_t ticks_of(const std::string& what, const std::string& ns) const;
  std::uint64_t ticks_before(std::uint64_t ns, const char* what) const;
  void sensed(const Attributes& attributes);
  void place_compute(std::uint64_t until);
  void compute_from(std::uint64_t time);  // another burst begins
  void compute_after_call(std::uint64_t leave);
  std::uint64_t cost_of(const Region& call) const;
  // What the tracer did between calls.
  void take_out(std::uint64_t ticks);
  // Ticks of computing until then. The tracer's own work is known by its mean: where less lies
  // between two calls, the rest is taken off later, else only gaps above the mean would count.
  std::uint64_t computed(std::uint64_t until);
  std::int32_t take_request();
  std::int32_t new_request();
  void renumber(OpenRequest& open);
  void release(std::int32_t request);
  std::int32_t open_request(std::uint64_t number);
  OpenRequest close_request(std::uint64_t number);
  void add_wait(std::int32_t request);
  void make_void(std::uint64_t place);
  void split_send_receive();
  void silent_call(std::uint64_t leave);
  void poll(SilentCall& silent, std::uint64_t leave);
  bool ends_polling(const schedule::Operation& operation) const;
  void take_polls();

  Shared& shared_;
  const Definitions& definitions_;
  std::int32_t rank_;
  schedule::Stream stream_;
  std::vector<OperationTime> times_;
  RankTrace result_;

  std::uint64_t now_ = 0;
  bool started_ = false;
  std::uint64_t begin_ = 0;
  std::uint64_t compute_since_ = 0;  // end of the last call, and of the tracer's work after it
  std::uint64_t compute_ticks_ = 0;  // of the burst that is not placed yet, before compute_since_
  std::uint64_t owed_ticks_ = 0;     // of the tracer's work, more than lay between calls so far
  std::uint64_t most_owed_ = 0;
  std::uint64_t burst_begin_ = 0;
  float cold_s_ = -1;  // of the burst, see schedule::Operation
  std::vector<std::pair<std::uint32_t, std::uint16_t>> phases_;  // region, phase

  const Region* call_ = nullptr;  // the MPI call we are in
  std::uint32_t call_reference_ = 0;
  std::uint64_t call_enter_ = 0;
  std::uint64_t call_begin_ = 0;  // before it when the call ends a polling loop
  std::uint32_t nested_ = 0;      // regions inside it
  std::size_t call_first_ = 0;    // its first operation in stream_
  bool call_has_operations_ = false;
  bool ended_ = false;
  Polling polling_;
  std::uint64_t polling_gap_;         // ticks
  std::vector<std::uint64_t> costs_;  // of the tracer after a call, ticks, by Region::index
  std::uint64_t inside_ = 0;          // of the tracer inside of a call, ticks
  std::uint64_t tracers_ticks_ = 0;   // of the tracer since the last operation
  std::uint64_t tested_ = Polling::unknown, completed_ = Polling::unknown;  // requests in this call

  RequestTable requests_;
  std::vector<std::int32_t> free_requests_;
  std::int32_t request_count_ = 0;
  std::uint64_t unblocked_between_groups_ = 0;
  bool merged_ = false, forking_ = false;
  bool beside_ = false;  // the request that was completed last is another lane's
  std::uint64_t lane_stream_ = 0;
  std::size_t lane_ = 0;
  std::vector<Lane> lanes_{1};
  std::vector<std::int32_t> late_requests_;  // free when the lanes are joined
  Written main_;
  std::vector<Written> forked_;
  std::uint32_t first_forked_ = 0;  // number of its stream in the schedule
  std::vector<Posting> posted_;
  std::unordered_map<std::uint64_t, RemoteAccess> accesses_;
  std::unordered_map<std::uint64_t, OpenFileOperation> file_operations_;
  std::unordered_map<std::uint32_t, std::uint32_t> window_families_;  // window -> family
  std::unordered_map<std::uint32_t, std::uint32_t> window_slots_;     // window -> slot
  std::unordered_map<std::uint32_t, std::vector<bool>> slots_;        // family -> slots in use
  std::unordered_map<std::uint32_t, SilentCall> silent_;              // by region index
  std::unordered_map<std::uint32_t, Membership> memberships_;
  std::uint32_t last_communicator_ = OTF2_UNDEFINED_COMM;  // a short way to memberships_
  const Membership* last_membership_ = nullptr;
};

}  // namespace hakaru::trace
