#include "probes/sharing/copies.hpp"

#include <memory>

#include "native/base/aligned.hpp"

namespace hakaru::probes::sharing {
namespace {

// A straight line stays one under u = (u_i-1 + u_i+1) / 2, so that the result is known; the ends
// stay as they are.
class Copy {
 public:
  Copy(Serial program, std::int64_t bytes)
      : program_(program),
        count_(static_cast<std::size_t>(bytes) / 16),
        one_(program == Serial::stencil ? count_ : 0),
        other_(program == Serial::stencil ? count_ : 0) {
    for (std::size_t i = 0; i < one_.size(); ++i)
      one_[i] = other_[i] = static_cast<double>(i) + 1.0;
  }

  void pass() { program_ == Serial::stencil ? average() : multiply(); }

  bool right() const {
    for (std::size_t i = 0; i < one_.size(); ++i)
      if (one_[i] != static_cast<double>(i) + 1.0 || other_[i] != static_cast<double>(i) + 1.0)
        return false;
    return value_ == 1.0;
  }

 private:
  void average() {
    const double* from = turned_ ? other_.data() : one_.data();
    double* to = turned_ ? one_.data() : other_.data();
    for (std::size_t i = 1; i + 1 < count_; ++i) to[i] = 0.5 * (from[i - 1] + from[i + 1]);
    turned_ = !turned_;
  }
  void multiply() {
    double value = value_;
    for (std::size_t i = 0; i < count_ / 2; ++i) {
      value *= 2.0;
      asm volatile("" : "+m"(value));
      value *= 0.5;
    }
    value_ = value;
  }

  Serial program_;
  std::size_t count_;
  base::AlignedArray<double> one_, other_;
  double value_ = 1.0;
  bool turned_ = false;
};

}  // namespace

const char* name_of(Serial program) { return program == Serial::stencil ? "stencil" : "multiply"; }

CopySamples copies_at_once(const base::PinnedTeam& team, Serial program, std::int64_t bytes,
                           const Sampling& sampling) {
  std::vector<std::unique_ptr<Copy>> copies(static_cast<std::size_t>(team.size()));
#pragma omp parallel num_threads(team.size())
  copies[static_cast<std::size_t>(omp_get_thread_num())] = std::make_unique<Copy>(program, bytes);
  const auto passes = [&](int thread, std::int64_t count) {
    Copy& own = *copies[static_cast<std::size_t>(thread)];
    for (std::int64_t i = 0; i < count; ++i) own.pass();
  };
  const std::int64_t count = count_for(team, sampling.least_s, passes);
  CopySamples found;
  for (int sample = 0; sample < sampling.samples; ++sample) {
    const std::vector<double> seconds = together(team, count, passes);
    for (int copy = 0; copy < team.size(); ++copy)
      found.samples.push_back(
          {copy, sample, seconds[static_cast<std::size_t>(copy)] / static_cast<double>(count)});
  }
  for (const auto& copy : copies) found.wrong += !copy->right();
  return found;
}

}  // namespace hakaru::probes::sharing
