// The contention-free engine.
#include "native/replay/engine/engine.hpp"
#include "native/replay/engine/engines.hpp"

namespace hakaru::replay {

namespace {

template <bool is_plain>
struct Immediate {
  static constexpr bool ordered = false;
  static constexpr bool plain = is_plain;
  static constexpr const char* name = "run until blocked";
  Immediate(Engine<Immediate>&, const Network&, const Costs&, const Options&) {}
  void launch(std::uint32_t, double) {}
  bool next_event() { return false; }
  double now_s() const { return 0; }
};

}  // namespace

Result run_until_blocked(const schedule::Schedule& schedule, const Network& network,
                         const Costs& costs, const Options& options, Recorder* recorder) {
  const bool plain = recorder == nullptr && !options.receive_serialised &&
                     !is_disturbed(network, options) && !options.noise.calls;
  if (plain) return Engine<Immediate<true>>(schedule, network, costs, options, recorder).run();
  return Engine<Immediate<false>>(schedule, network, costs, options, recorder).run();
}

}  // namespace hakaru::replay
