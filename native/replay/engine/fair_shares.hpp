// Max-min fair shares: rates grow together until a link or a flow's own limit is reached, then
// those concerned stay, and the others go on.
//
// Where a flow begins or ends, few others notice. Rates are max-min fair exactly when every flow
// has its own limit's rate, or a link that is full and on which nobody is faster (its bottleneck;
// Bertsekas, Gallager, Data Networks, 6.5.2). So flows are shared anew that have begun or that have
// lost this, beside the others as they are, and with each round those whose bottleneck is none any
// more, until everybody has one.
#pragma once

#include <cstdint>
#include <vector>

#include "native/replay/networks/network.hpp"

namespace hakaru::replay {

class FairShares {
 public:
  explicit FairShares(const Network& network);

  // Starts a flow at the present time. `bytes` > 0; most_bytes_per_s > 0 may be infinite.
  void start(std::uint32_t flight, const std::vector<std::uint32_t>& route, double bytes,
             double most_bytes_per_s);
  double now_s() const { return now_s_; }
  // When the next flow ends, if nothing is started before; infinity when there is none. Shares:
  // what starts at one time is to be started before this is asked.
  double next_end_s();
  // Moves the present to time_s, at which nothing has ended yet.
  void go_on(double time_s);
  // Moves the present to time_s (not beyond next_end_s) and returns the flights that have ended
  // then, until the next call.
  const std::vector<std::uint32_t>& advance(double time_s);
  double rate(std::uint32_t flight) const;

 private:
  static constexpr std::uint32_t itself = UINT32_MAX;  // the flow's own limit is its bottleneck

  struct Hop {
    std::uint32_t link;
    std::uint32_t place;  // among its users
  };
  struct alignas(64) Flow {
    std::vector<Hop> hops;  // links of finite capacity
    double rate = 0;
    double most = 0;
    std::uint32_t bottleneck = itself;
    // While sharing:
    std::uint32_t new_bottleneck = itself;
    double new_rate = 0;
    double limit = 0;  // the least of its own and of what links have for it alone
    std::uint32_t limited_by = itself;
    bool chosen = false;
    bool fixed = false;
    // Of its end:
    std::uint32_t flight = 0;
    std::uint32_t order = 0;     // of equal ends, the flow that began first is told first
    std::uint32_t position = 0;  // in ends_
    double left_bytes = 0;       // at since_s
    double since_s = 0;
    double end_s = 0;
  };
  struct User {
    std::uint32_t flow;
    std::uint32_t hop;
  };
  struct Link {
    double capacity = 0;
    double used = 0;            // sum of its users' rates
    double speed = 0;           // of those whose bottleneck it is
    std::uint32_t slowed = 0;   // so many
    std::uint32_t changes = 0;  // of `used` since it was added up
    std::vector<User> users;
    bool changed = false;  // a flow has begun or ended on it
    // While sharing:
    bool touched = false;             // by a chosen flow
    bool tight = false;               // bottleneck of chosen flows, at this level
    double level = 0;                 //
    double free = 0;                  // for chosen flows
    std::uint32_t chosen = 0;         // so many
    std::uint32_t slowed_chosen = 0;  // of those whose bottleneck it was
    double left = 0;                  // for chosen flows that are not fixed
    std::uint32_t open = 0;           // so many
    double wanted = 0;                // sum of chosen flows' limits
    double fastest = 0;               // of those that are fixed
  };
  struct Level {
    double rate;
    std::uint32_t link;
    bool operator<(const Level& other) const { return rate > other.rate; }  // least on top
  };

  std::uint32_t take();
  void note_change(std::uint32_t link);
  void remove(std::uint32_t flow);
  bool before(std::uint32_t a, std::uint32_t b) const;
  void put_end(std::size_t at, std::uint32_t flow);
  void rise(std::size_t at);
  void sink(std::size_t at);

  void share();
  void choose(std::uint32_t flow);
  void choose_changed();
  void choose_slowed(std::uint32_t link);
  void touch(std::uint32_t link);
  void fill();
  void prepare_links();
  void order_limits();
  void order_levels();
  bool least_level(Level& least);
  void fix_users(const Level& least, double& reached);
  void fix_limited(std::uint32_t flow, double& reached);
  void fix(std::uint32_t flow, double rate, std::uint32_t bottleneck);
  bool choose_more(bool everybody);
  static bool is_lost(const Link& link);
  void settle();
  void set_rate(Flow& flow);
  void use(Link& link, double more);

  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;               // flows
  std::vector<std::uint32_t> fresh_;              // flows that have no rate yet
  std::vector<std::uint32_t> ends_;               // heap of flows by their ends
  std::vector<std::uint32_t> ended_;              // flights
  std::vector<std::uint32_t> changed_, touched_;  // links
  std::vector<std::uint32_t> chosen_, limits_;    // flows
  std::vector<Level> levels_;                     // heap
  double now_s_ = 0;
  std::uint32_t order_ = 0;
};

}  // namespace hakaru::replay
