// What the summary finds while it looks for who waited for whom, kept for the timeline.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "native/trace/summary/summary.hpp"
#include "native/trace/timeline/levels.hpp"
#include "native/trace/timeline/timeline.hpp"

namespace hakaru::trace {

// Counts by powers of two: bin i holds [first * 2^i, first * 2^(i + 1)); what is smaller is in the
// first.
class Histogram {
 public:
  explicit Histogram(double first) : first_(first) {}
  void add(double value);
  // `count` and `sum` by bin, from the first bin that is not empty on.
  nlohmann::json document() const;

 private:
  double first_;
  std::vector<std::pair<std::uint64_t, double>> bins_;
};

class Notes : public Listener {
 public:
  Notes(std::size_t ranks, const Window& window, std::size_t longest)
      : window_(window), longest_(longest), waits_of_rank_(ranks) {}

  void message(const Message& message) override;
  void wait(const Wait& wait) override;

  // Sorted by the time at which they were sent.
  const std::vector<Message>& messages();
  // Stretches in which the rank waits; they do not overlap.
  std::vector<std::pair<double, double>> waits(std::size_t rank);
  std::uint64_t backwards() const { return backwards_; }
  nlohmann::json histograms() const;
  nlohmann::json longest_waits(const Trace& trace);

 private:
  Window window_;
  std::size_t longest_;
  bool sorted_ = false;
  std::vector<Message> messages_;
  std::uint64_t backwards_ = 0;  // received before they were sent
  std::vector<std::vector<std::pair<double, double>>> waits_of_rank_;
  std::vector<Wait> largest_;  // a heap, the smallest first
  Histogram bytes_{1.0};
  std::array<Histogram, 3> seconds_{Histogram(1e-9), Histogram(1e-9), Histogram(1e-9)};
};

inline constexpr std::array wait_names = {"late_sender", "late_receiver", "collective"};

// Messages by tiles of time: single ones where a tile holds few, else sums for pairs of rows.
nlohmann::json message_tiles(const std::vector<Message>& messages, const Axis& axis,
                             std::size_t limit);

}  // namespace hakaru::trace
