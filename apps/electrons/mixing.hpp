// Pulay's mixing of densities (Chem. Phys. Lett. 73 (1980) 393): the next input density is the
// combination of the last ones with the smallest residual, and a part of that residual.
#pragma once

#include <deque>
#include <vector>

namespace hakaru::apps::electrons {

class Mixing {
 public:
  explicit Mixing(double part = 0.6, std::size_t depth = 8) : part_(part), depth_(depth) {}

  // `input` becomes the next input density, given the output density that it led to.
  void next(std::vector<double>& input, const std::vector<double>& output);

 private:
  std::vector<double> coefficients() const;

  double part_;
  std::size_t depth_;
  std::deque<std::vector<double>> inputs_, residuals_;
};

}  // namespace hakaru::apps::electrons
