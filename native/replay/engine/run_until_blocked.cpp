// The contention-free engine.
#include "native/replay/engine/engine_collectives.hpp"
#include "native/replay/engine/engine_diagnosis.hpp"
#include "native/replay/engine/engine_measured_access.hpp"
#include "native/replay/engine/engine_messages.hpp"
#include "native/replay/engine/engine_one_sided.hpp"
#include "native/replay/engine/engine_operations.hpp"
#include "native/replay/engine/engine_put_get.hpp"
#include "native/replay/engine/engine_run.hpp"
#include "native/replay/engine/engine_run_ahead.hpp"
#include "native/replay/engine/engine_threads.hpp"
#include "native/replay/engine/engines.hpp"

namespace hakaru::replay {

namespace {

template <bool is_plain>
struct Immediate {
  static constexpr bool ordered = false;
  static constexpr bool plain = is_plain;
  static constexpr const char* name = "run until blocked";
  explicit Immediate(Engine<Immediate>&) {}
  void launch(std::uint32_t, double) {}
  bool next_event() { return false; }
  double now_s() const { return 0; }
};

}  // namespace

Result run_until_blocked(const schedule::Schedule& schedule, const Network& network,
                         const Costs& costs, const Options& options, Recorder* recorder) {
  const bool plain =
      recorder == nullptr && !options.receive_serialised && !is_disturbed(network, options);
  if (plain) return Engine<Immediate<true>>(schedule, network, costs, options, recorder).run();
  return Engine<Immediate<false>>(schedule, network, costs, options, recorder).run();
}

}  // namespace hakaru::replay
