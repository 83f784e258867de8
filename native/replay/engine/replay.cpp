#include "native/replay/engine/replay.hpp"

#include <optional>

#include "native/base/require.hpp"
#include "native/replay/engine/engines.hpp"

namespace hakaru::replay {

namespace {

// Everything takes no time; messages above `eager_limit_bytes` need their receive.
class Ideal : public Network {
 public:
  explicit Ideal(std::uint64_t eager_limit_bytes) {
    level_.eager_limit_bytes = eager_limit_bytes;
    set_self(level_);
  }
  Path path(std::int32_t, std::int32_t) const override { return {&level_, 0.0}; }
  const Level* uniform() const override { return &level_; }

 private:
  Level level_;
};

}  // namespace

Result replay(const schedule::Schedule& schedule, const Network& network, const Costs& costs,
              const Options& options, const Observers& observers) {
  base::require(schedule.ranks > 0, "the schedule has no ranks");
  std::optional<Recorder> recorder;
  if (options.critical_path || observers.segments || observers.operations)
    recorder.emplace(schedule.ranks, schedule.phases.size(), options.critical_path, observers);
  base::require(!costs.put_get || options.engine != EngineChoice::run_until_blocked,
                "the network's put_get needs the time-ordered engine",
                "what a rank computes lengthens when data arrive",
                "leave the option \"engine\" away");
  base::require(!costs.put_get || options.sharing != Sharing::max_min,
                "the network's put_get knows no max_min sharing", "", "choose first_come or none");
  const bool ordered = costs.put_get || options.engine == EngineChoice::time_ordered ||
                       (options.engine == EngineChoice::automatic && network.links() > 0);
  return (ordered ? time_ordered : run_until_blocked)(schedule, network, costs, options,
                                                      recorder ? &*recorder : nullptr);
}

std::uint64_t check(const schedule::Schedule& schedule, std::uint64_t eager_limit_bytes) {
  base::require(schedule.ranks > 0, "the schedule has no ranks");
  Options options;
  options.compute_factor = 0;
  options.free = true;
  return run_until_blocked(schedule, Ideal(eager_limit_bytes), Costs{}, options, nullptr).messages;
}

}  // namespace hakaru::replay
