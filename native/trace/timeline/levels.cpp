#include "native/trace/timeline/levels.hpp"

#include <algorithm>
#include <cmath>

namespace hakaru::trace {

std::string base64(const void* data, std::size_t bytes) {
  static constexpr char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* in = static_cast<const unsigned char*>(data);
  std::string out;
  out.reserve((bytes + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes; i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes - i);
    const unsigned word = static_cast<unsigned>(in[i]) << 16U |
                          (left > 1 ? static_cast<unsigned>(in[i + 1]) << 8U : 0U) |
                          (left > 2 ? static_cast<unsigned>(in[i + 2]) : 0U);
    out += letters[word >> 18U];
    out += letters[word >> 12U & 63U];
    out += left > 1 ? letters[word >> 6U & 63U] : '=';
    out += left > 2 ? letters[word & 63U] : '=';
  }
  return out;
}

void Bins::add(std::size_t column, double begin_s, double end_s) {
  const double begin = std::max(begin_s, axis_.from_s), end = std::min(end_s, axis_.to_s);
  if (end <= begin) return;
  const double width = axis_.length_s() / static_cast<double>(bins_);
  const auto bin_of = [&](double time) {
    return std::min(bins_ - 1, static_cast<std::size_t>((time - axis_.from_s) / width));
  };
  const std::size_t last = bin_of(end);
  double from = begin;
  for (std::size_t bin = bin_of(begin); bin < last; ++bin) {
    const double edge = axis_.from_s + static_cast<double>(bin + 1) * width;
    if (edge > from) seconds_[bin * columns_ + column] += edge - from, from = edge;
  }
  seconds_[last * columns_ + column] += end - from;
}

double Bins::sum(std::size_t column) const {
  double sum = 0;
  for (std::size_t bin = 0; bin < bins_; ++bin) sum += at(bin, column);
  return sum;
}

Bins Bins::coarser() const {
  Bins result(axis_, bins_ / 4, columns_);
  for (std::size_t bin = 0; bin < bins_; ++bin)
    for (std::size_t column = 0; column < columns_; ++column)
      result.seconds_[bin / 4 * columns_ + column] += at(bin, column);
  return result;
}

namespace {

constexpr std::uint8_t nothing = 255;

std::uint8_t most(const Bins& bins, std::size_t bin) {
  std::size_t found = nothing;
  double best = 0;
  for (std::size_t column = 0; column < bins.columns(); ++column)
    if (bins.at(bin, column) > best) best = bins.at(bin, column), found = column;
  return static_cast<std::uint8_t>(found);
}

std::uint8_t share(double seconds, double full_s) {
  const double part = full_s > 0 ? std::clamp(seconds / full_s, 0.0, 1.0) : 0.0;
  return static_cast<std::uint8_t>(std::lround(255 * part));
}

}  // namespace

void Level::add_row(const Bins& of_states, const Bins& of_phases, const Bins& of_shares,
                    double full_s) {
  for (std::size_t bin = 0; bin < bins; ++bin) {
    states.push_back(most(of_states, bin));
    phases.push_back(states.back() == nothing ? nothing : most(of_phases, bin));
    const double compute = of_shares.at(bin, 0), calls = of_shares.at(bin, 1);
    const double waits = std::min(calls, of_shares.at(bin, 2));
    computing.push_back(share(compute, full_s));
    communicating.push_back(share(calls - waits, full_s));
    waiting.push_back(share(waits, full_s));
  }
}

nlohmann::json Level::document() const {
  return {{"bins", bins},
          {"states", base64(states)},
          {"phases", base64(phases)},
          {"computing", base64(computing)},
          {"communicating", base64(communicating)},
          {"waiting", base64(waiting)}};
}

std::size_t finest(std::size_t rows, std::size_t pieces, std::size_t cells, std::size_t most) {
  const std::size_t by_size = cells / std::max<std::size_t>(rows, 1);
  const std::size_t by_content = 4 * pieces / std::max<std::size_t>(rows, 1);
  std::size_t bins = 256;
  while (4 * bins <= std::min(by_size, most) && bins < by_content) bins *= 4;
  return bins;
}

}  // namespace hakaru::trace
