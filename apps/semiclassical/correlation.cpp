#include "apps/semiclassical/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "native/base/keyed_random.hpp"

namespace hakaru::apps::semiclassical {

void Tally::merge(const Tally& other) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i].merge(other.sums[i]);
  worst_branch = std::max(worst_branch, other.worst_branch);
  worst_energy = std::max(worst_energy, other.worst_energy);
}

void sample(const Settings& s, std::int64_t number, double* q, double* p) {
  base::KeyedRandom random{s.seed, static_cast<std::uint64_t>(number), 0x7472616a};
  const double spread_q = 1.0 / std::sqrt(s.width), spread_p = s.hbar * std::sqrt(s.width);
  for (int i = 0; i < s.model.n; ++i) {
    q[i] = s.centre_q[i] + spread_q * random.normal();
    p[i] = s.centre_p[i] + spread_p * random.normal();
  }
}

std::complex<double> log_overlap(const Settings& s, const double* q, const double* p) {
  double distance2 = 0.0, kick2 = 0.0, phase = 0.0;
  for (int i = 0; i < s.model.n; ++i) {
    const double dq = s.centre_q[i] - q[i], dp = s.centre_p[i] - p[i];
    distance2 += dq * dq, kick2 += dp * dp;
    phase += (s.centre_p[i] + p[i]) * dq;
  }
  return {-0.25 * (s.width * distance2 + kick2 / (s.width * s.hbar * s.hbar)),
          0.5 * phase / s.hbar};
}

Correlator::Correlator(const Settings& settings, Block& block)
    : settings_(settings),
      block_(block),
      tracks_(static_cast<std::size_t>(block.batches() * block.lanes())),
      q_(static_cast<std::size_t>(settings.model.n)),
      p_(q_.size()),
      scratch_(determinant_size(block.shape())),
      determinants_(static_cast<std::size_t>(block.batches())),
      values_(tracks_.size()),
      prefactors_(tracks_.size()) {}

void Correlator::put(std::int64_t i, const double* q, const double* p) {
  const int lanes = block_.lanes();
  const Batch batch = block_.batch(static_cast<int>(i / lanes));
  for (int k = 0; k < settings_.model.n; ++k)
    batch.q[k * lanes + i % lanes] = q[k], batch.p[k * lanes + i % lanes] = p[k];
}

void Correlator::get(std::int64_t i) {
  const int lanes = block_.lanes();
  const Batch batch = block_.batch(static_cast<int>(i / lanes));
  for (int k = 0; k < settings_.model.n; ++k)
    q_[k] = batch.q[k * lanes + i % lanes], p_[k] = batch.p[k * lanes + i % lanes];
}

void Correlator::start(std::int64_t first, std::int64_t count, const Clock& clock) {
  count_ = count;
  {
    const base::TimedPart timed(clock, clock.start);
    const std::int64_t lanes = block_.lanes(), used = (count + lanes - 1) / lanes;
    block_.reset(static_cast<int>(used));
    for (std::int64_t i = 0; i < used * lanes; ++i) {
      if (i < count) sample(settings_, first + i, q_.data(), p_.data());
      put(i, q_.data(), p_.data());
    }
  }
  const base::TimedPart timed(clock, clock.correlation);
  begin();
}

void Correlator::start_at(const std::vector<std::vector<double>>& q,
                          const std::vector<std::vector<double>>& p, const Clock& clock) {
  const base::TimedPart timed(clock, clock.start);
  count_ = static_cast<std::int64_t>(q.size());
  const std::int64_t lanes = block_.lanes(), used = (count_ + lanes - 1) / lanes;
  block_.reset(static_cast<int>(used));
  for (std::int64_t i = 0; i < used * lanes; ++i) {
    const auto from = static_cast<std::size_t>(std::min(i, count_ - 1));
    put(i, q[from].data(), p[from].data());
  }
  begin();
}

// d ln det / dt at time zero is -i tr(hbar w G + V'' / (hbar w)) / 2.
void Correlator::begin() {
  block_.measure();
  const Shape& shape = block_.shape();
  const double hbar_width = settings_.hbar * settings_.width;
  const double trace_g = settings_.model.n * (settings_.model.unit_kinetic() ? 1.0 : 2.0);
  const double time = settings_.dt * static_cast<double>(settings_.interval);
  for (std::int64_t i = 0; i < count_; ++i) {
    const Batch batch = block_.batch(static_cast<int>(i / shape.lanes));
    const auto lane = static_cast<std::size_t>(i % shape.lanes);
    double trace = 0.0;
    for (int k = 0; k < shape.n; ++k)
      trace += batch.hessian[(k * shape.hessian_pitch() + k) * shape.lanes + lane];
    get(i);
    Track& track = tracks_[i];
    track = {};
    track.start = log_overlap(settings_, q_.data(), p_.data());
    track.increment = -0.5 * (hbar_width * trace_g + trace / hbar_width) * time;
    track.energy = batch.potential[lane] + batch.kinetic[lane];
    track.scale = std::max({std::abs(track.energy), batch.kinetic[lane], 1e-12});
  }
}

// The phase goes on as it went last.
void Correlator::follow(Track& track, double raw, Tally& tally) const {
  constexpr double turn = 2.0 * std::numbers::pi;
  double change = raw - track.raw;
  change += turn * std::round((track.increment - change) / turn);
  tally.worst_branch =
      std::max(tally.worst_branch, std::abs(change - track.increment) / std::numbers::pi);
  track.angle += change;
  track.raw = raw, track.increment = change;
}

void Correlator::add(std::int64_t i, std::int64_t index, double log_magnitude, Tally& tally) {
  const Track& track = tracks_[i];
  const int lanes = block_.lanes();
  const Batch batch = block_.batch(static_cast<int>(i / lanes));
  get(i);
  const std::complex<double> overlap = log_overlap(settings_, q_.data(), p_.data()) - track.start;
  const double phase = 0.5 * track.angle + batch.action[i % lanes] / settings_.hbar;
  prefactors_[i] = std::polar(std::exp(0.5 * log_magnitude), 0.5 * track.angle);
  values_[i] = std::polar(std::exp(0.5 * log_magnitude + overlap.real()), phase + overlap.imag());
  parallel::ExactSum* sums = tally.sums.data() + index * quantities;
  sums[0].add(values_[i].real());
  sums[1].add(values_[i].imag());
  sums[2].add(std::norm(values_[i]));
}

void Correlator::output(std::int64_t index, Tally& tally, const Clock& clock) {
  const int lanes = block_.lanes();
  {
    const base::TimedPart timed(clock, clock.prefactor);
    for (int i = 0; i < block_.used(); ++i)
      determinant(block_.shape(), block_.batch(i), settings_.hbar * settings_.width,
                  scratch_.data(), determinants_[i]);
  }
  const base::TimedPart timed(clock, clock.correlation);
  block_.measure();
  for (std::int64_t i = 0; i < count_; ++i) {
    const Batch batch = block_.batch(static_cast<int>(i / lanes));
    const Determinant& det = determinants_[i / lanes];
    const auto lane = static_cast<std::size_t>(i % lanes);
    Track& track = tracks_[i];
    const double change =
        std::abs(batch.potential[lane] + batch.kinetic[lane] - track.energy) / track.scale;
    const bool sound = change <= settings_.most_energy_change &&
                       std::isfinite(det.log_magnitude[lane]) && std::isfinite(det.re[lane]);
    track.lost = track.lost || !sound;
    if (track.lost) {
      values_[i] = prefactors_[i] = 0.0;
      tally.sums[index * quantities + 3].add(1.0);
      continue;
    }
    tally.worst_energy = std::max(tally.worst_energy, change);
    if (index > 0) follow(track, std::atan2(det.im[lane], det.re[lane]), tally);
    add(i, index, det.log_magnitude[lane], tally);
  }
}

}  // namespace hakaru::apps::semiclassical
