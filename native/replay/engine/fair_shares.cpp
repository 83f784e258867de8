#include "native/replay/engine/fair_shares.hpp"

#include <algorithm>
#include <cmath>

namespace hakaru::replay {

namespace {

constexpr double rounding = 1e-12;  // relative; two levels that differ by less are one
constexpr int most_rounds = 6;  // before all who share a link, and those beside them, are chosen
constexpr std::uint32_t most_changes = 64;  // of a sum before it is added up again

}  // namespace

FairShares::FairShares(const Network& network) : links_(network.links()) {
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    const double gap = network.link(i).gap_per_byte_s;
    links_[i].capacity = gap > 0 ? 1.0 / gap : INFINITY;
  }
}

void FairShares::start(std::uint32_t flight, const std::vector<std::uint32_t>& route, double bytes,
                       double most_bytes_per_s) {
  const std::uint32_t index = take();
  Flow& flow = flows_[index];
  flow.hops.clear();
  for (const std::uint32_t link : route) {
    if (std::isinf(links_[link].capacity)) continue;
    std::vector<User>& users = links_[link].users;
    const auto hop = static_cast<std::uint32_t>(flow.hops.size());
    flow.hops.push_back({link, static_cast<std::uint32_t>(users.size())});
    users.push_back({index, hop});
    note_change(link);
  }
  flow.flight = flight;
  flow.order = order_++;
  flow.bottleneck = itself;
  flow.left_bytes = bytes;
  flow.since_s = now_s_;
  flow.most = most_bytes_per_s;
  flow.rate = 0;
  flow.end_s = INFINITY;
  fresh_.push_back(index);
  ends_.push_back(index);
  rise(ends_.size() - 1);
}

std::uint32_t FairShares::take() {
  if (free_.empty()) {
    flows_.emplace_back();
    return static_cast<std::uint32_t>(flows_.size() - 1);
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  return index;
}

void FairShares::note_change(std::uint32_t link) {
  if (links_[link].changed) return;
  links_[link].changed = true;
  changed_.push_back(link);
}

double FairShares::next_end_s() {
  share();
  return ends_.empty() ? INFINITY : flows_[ends_.front()].end_s;
}

void FairShares::go_on(double time_s) {
  if (time_s <= now_s_) return;
  share();
  now_s_ = time_s;
}

const std::vector<std::uint32_t>& FairShares::advance(double time_s) {
  go_on(time_s);
  ended_.clear();
  while (!ends_.empty() && flows_[ends_.front()].end_s <= now_s_) {
    const std::uint32_t flow = ends_.front();
    ended_.push_back(flows_[flow].flight);
    remove(flow);
  }
  return ended_;
}

void FairShares::remove(std::uint32_t index) {
  const Flow& flow = flows_[index];
  for (const Hop& hop : flow.hops) {
    Link& link = links_[hop.link];
    const User last = link.users.back();
    link.users[hop.place] = last;
    flows_[last.flow].hops[last.hop].place = hop.place;
    link.users.pop_back();
    use(link, -flow.rate);
    note_change(hop.link);
  }
  if (flow.bottleneck != itself) --links_[flow.bottleneck].slowed;
  const std::size_t at = flow.position;
  const std::uint32_t moved = ends_.back();
  ends_.pop_back();
  if (moved != index) {
    put_end(at, moved);
    rise(at);
    sink(flows_[moved].position);
  }
  free_.push_back(index);
}

double FairShares::rate(std::uint32_t flight) const {
  for (const std::uint32_t flow : ends_)
    if (flows_[flow].flight == flight) return flows_[flow].rate;
  return 0;
}

bool FairShares::before(std::uint32_t a, std::uint32_t b) const {
  const Flow &one = flows_[a], &other = flows_[b];
  return one.end_s < other.end_s ||
         (one.end_s == other.end_s && static_cast<std::int32_t>(one.order - other.order) < 0);
}

void FairShares::put_end(std::size_t at, std::uint32_t flow) {
  ends_[at] = flow;
  flows_[flow].position = static_cast<std::uint32_t>(at);
}

void FairShares::rise(std::size_t at) {
  const std::uint32_t flow = ends_[at];
  for (; at > 0 && before(flow, ends_[(at - 1) / 2]); at = (at - 1) / 2)
    put_end(at, ends_[(at - 1) / 2]);
  put_end(at, flow);
}

void FairShares::sink(std::size_t at) {
  const std::uint32_t flow = ends_[at];
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= ends_.size()) break;
    if (child + 1 < ends_.size() && before(ends_[child + 1], ends_[child])) ++child;
    if (!before(ends_[child], flow)) break;
    put_end(at, ends_[child]);
    at = child;
  }
  put_end(at, flow);
}

// More or less of it is used.
void FairShares::use(Link& link, double more) {
  link.used += more;
  if (++link.changes < most_changes && !link.users.empty()) return;
  link.changes = 0;
  link.used = 0;
  for (const User& user : link.users) link.used += flows_[user.flow].rate;
}

void FairShares::share() {
  if (fresh_.empty() && changed_.empty()) return;
  choose_changed();
  for (int round = 1; !chosen_.empty(); ++round) {
    fill();
    if (!choose_more(round > most_rounds)) break;
  }
  settle();
}

void FairShares::choose(std::uint32_t index) {
  Flow& flow = flows_[index];
  if (flow.chosen) return;
  flow.chosen = true;
  chosen_.push_back(index);
  for (const Hop& hop : flow.hops) {
    Link& link = links_[hop.link];
    if (!link.touched) touch(hop.link);
    link.free += flow.rate;
    ++link.chosen;
  }
  if (flow.bottleneck != itself) ++links_[flow.bottleneck].slowed_chosen;
}

void FairShares::touch(std::uint32_t index) {
  Link& link = links_[index];
  link.touched = true;
  link.free = link.capacity - link.used;
  link.chosen = link.slowed_chosen = 0;
  touched_.push_back(index);
}

void FairShares::choose_slowed(std::uint32_t index) {
  for (const User& user : links_[index].users)
    if (flows_[user.flow].bottleneck == index) choose(user.flow);
}

// Those that have begun, and those whose bottleneck has got or lost a user.
void FairShares::choose_changed() {
  for (const std::uint32_t flow : fresh_) choose(flow);
  fresh_.clear();
  for (const std::uint32_t index : changed_) {
    links_[index].changed = false;
    if (links_[index].slowed > 0) choose_slowed(index);
  }
  changed_.clear();
}

void FairShares::prepare_links() {
  for (const std::uint32_t index : touched_) {
    Link& link = links_[index];
    link.left = std::max(link.free, 0.0);
    link.open = link.chosen;
    link.tight = false;
    link.wanted = link.fastest = 0;
  }
}

// The least limit first. What a link has for one chosen flow alone is a limit like its own.
void FairShares::order_limits() {
  for (const std::uint32_t index : chosen_) {
    Flow& flow = flows_[index];
    flow.fixed = false;
    flow.limit = flow.most;
    flow.limited_by = itself;
    for (const Hop& hop : flow.hops) {
      const Link& link = links_[hop.link];
      if (link.open > 1 || link.left >= flow.limit) continue;
      flow.limit = link.left;
      flow.limited_by = hop.link;
    }
    for (const Hop& hop : flow.hops) links_[hop.link].wanted += flow.limit;
  }
  limits_.assign(chosen_.begin(), chosen_.end());
  const auto slower = [this](std::uint32_t a, std::uint32_t b) {
    return flows_[a].limit < flows_[b].limit;
  };
  if (!std::is_sorted(limits_.begin(), limits_.end(), slower))
    std::sort(limits_.begin(), limits_.end(), slower);
}

// Links that suffice for the limits of all their users are no bottleneck.
void FairShares::order_levels() {
  levels_.clear();
  for (const std::uint32_t index : touched_) {
    const Link& link = links_[index];
    if (link.open > 1 && link.wanted > link.left) levels_.push_back({link.left / link.open, index});
  }
  std::make_heap(levels_.begin(), levels_.end());
}

// Levels rise while others of a link's users are fixed, so that one is looked at again before it
// counts.
bool FairShares::least_level(Level& least) {
  while (!levels_.empty()) {
    const Link& link = links_[levels_.front().link];
    const double level = link.open == 0 ? 0 : link.left / link.open;
    if (link.open > 0 && level <= levels_.front().rate * (1 + rounding)) {
      least = {level, levels_.front().link};
      return true;
    }
    std::pop_heap(levels_.begin(), levels_.end());
    if (link.open == 0) {
      levels_.pop_back();
      continue;
    }
    levels_.back().rate = level;
    std::push_heap(levels_.begin(), levels_.end());
  }
  return false;
}

// Progressive filling of what is left: the tightest link, or the flow with the least limit, decides
// next.
void FairShares::fill() {
  prepare_links();
  order_limits();
  order_levels();
  double reached = 0;
  for (std::size_t next = 0; next < limits_.size();) {
    const std::uint32_t limited = limits_[next];
    Level least;
    if (flows_[limited].fixed) {
      ++next;
    } else if (least_level(least) && least.rate < flows_[limited].limit) {
      fix_users(least, reached);
    } else {
      fix_limited(limited, reached);
      ++next;
    }
  }
}

void FairShares::fix_users(const Level& least, double& reached) {
  if (least.rate > reached * (1 + rounding)) reached = least.rate;
  Link& link = links_[least.link];
  link.tight = true;
  link.level = reached;
  for (const User& user : link.users) {
    const Flow& flow = flows_[user.flow];
    if (flow.chosen && !flow.fixed) fix(user.flow, reached, least.link);
  }
}

void FairShares::fix_limited(std::uint32_t index, double& reached) {
  const Flow& flow = flows_[index];
  if (flow.limited_by == itself) return fix(index, flow.most, itself);
  if (flow.limit > reached * (1 + rounding)) reached = flow.limit;
  links_[flow.limited_by].tight = true;
  links_[flow.limited_by].level = reached;
  fix(index, reached, flow.limited_by);
}

void FairShares::fix(std::uint32_t index, double rate, std::uint32_t bottleneck) {
  Flow& flow = flows_[index];
  flow.fixed = true;
  flow.new_rate = rate;
  flow.new_bottleneck = bottleneck;
  for (const Hop& hop : flow.hops) {
    Link& link = links_[hop.link];
    link.left = std::max(0.0, link.left - rate);
    link.fastest = std::max(link.fastest, rate);
    --link.open;
  }
}

// Whether it is the bottleneck of flows beside the chosen ones no more: it is not full, or somebody
// is faster.
bool FairShares::is_lost(const Link& link) {
  if (link.slowed == link.slowed_chosen) return false;
  const bool not_full = link.left > rounding * link.capacity;
  return not_full || link.fastest > link.speed * (1 + rounding);
}

// Chooses those beside the chosen ones who have no bottleneck any more, and who are faster than
// those whose bottleneck a link would be; or all of them. False: there is none.
bool FairShares::choose_more(bool everybody) {
  const std::size_t chosen = chosen_.size(), touched = touched_.size();
  for (std::size_t i = 0; i < touched; ++i) {
    const std::uint32_t index = touched_[i];
    const Link& link = links_[index];
    if (is_lost(link)) choose_slowed(index);
    if (!everybody && !link.tight) continue;
    for (const User& user : link.users)
      if (everybody || flows_[user.flow].rate > link.level * (1 + rounding)) choose(user.flow);
  }
  return chosen_.size() > chosen;
}

void FairShares::settle() {
  for (const std::uint32_t index : chosen_) {
    Flow& flow = flows_[index];
    flow.chosen = false;
    if (flow.bottleneck != itself) --links_[flow.bottleneck].slowed;
    flow.bottleneck = flow.new_bottleneck;
    if (flow.bottleneck != itself) {
      ++links_[flow.bottleneck].slowed;
      links_[flow.bottleneck].speed = flow.new_rate;
    }
    if (flow.new_rate != flow.rate) set_rate(flow);
  }
  for (const std::uint32_t link : touched_) links_[link].touched = false;
  touched_.clear();
  chosen_.clear();
}

void FairShares::set_rate(Flow& flow) {
  const double more = flow.new_rate - flow.rate;
  flow.left_bytes = std::max(0.0, flow.left_bytes - flow.rate * (now_s_ - flow.since_s));
  flow.since_s = now_s_;
  flow.rate = flow.new_rate;
  flow.end_s = std::isinf(flow.rate) ? now_s_ : now_s_ + flow.left_bytes / flow.rate;
  for (const Hop& hop : flow.hops) use(links_[hop.link], more);
  rise(flow.position);
  sink(flow.position);
}

}  // namespace hakaru::replay
