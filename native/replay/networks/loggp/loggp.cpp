// Flat LogGP: every pair of ranks is as far apart as any other (Alexandrov et al., 1995).
#include "native/replay/networks/reading.hpp"

namespace hakaru::replay::networks::loggp {

namespace {

class Flat : public Network {
 public:
  explicit Flat(Level level) : level_(std::move(level)) {}
  Path path(std::int32_t, std::int32_t) const override { return {&level_, level_.latency_s}; }
  const Level* uniform() const override { return &level_; }
  bool disturbed() const override { return level_.disturbed(); }

 private:
  Level level_;
};

}  // namespace

std::unique_ptr<Network> make(const nlohmann::json& network, std::int32_t) {
  return std::make_unique<Flat>(read_level_or_next(network, "switch"));
}

}  // namespace hakaru::replay::networks::loggp
