// Pulay's mixing of densities (Chem. Phys. Lett. 73 (1980) 393): the next input density is the
// combination of the last ones with the smallest residual, and a part of that residual.
#pragma once

#include <deque>
#include <vector>

namespace hakaru::apps::electrons {

class Mixing {
 public:
  // `input` becomes the next input density, given the output density that it led to.
  void next(std::vector<double>& input, const std::vector<double>& output);

  // What the next densities depend on, as numbers: input and residual of each step that is
  // remembered, the oldest first.
  std::vector<double> past() const;
  void resume(const double* past, std::size_t steps, std::size_t points);
  std::size_t steps() const { return inputs_.size(); }

 private:
  std::vector<double> coefficients() const;

  static constexpr double part_ = 0.6;
  static constexpr std::size_t depth_ = 8;
  std::deque<std::vector<double>> inputs_, residuals_;
};

}  // namespace hakaru::apps::electrons
