#include "apps/mpi_fft/transform.hpp"

#include <algorithm>
#include <numbers>

#include "native/base/require.hpp"

namespace hakaru::apps::mpi_fft {

namespace {

constexpr std::int64_t tile = 16;  // numbers: four cache lines, squared they fit in any first level

fftw_complex* fftw(Complex* values) { return reinterpret_cast<fftw_complex*>(values); }

Complex root(std::int64_t exponent, std::int64_t length) {
  const double turn = static_cast<double>(exponent) / static_cast<double>(length);
  return std::polar(1.0, -2.0 * std::numbers::pi * turn);
}

}  // namespace

// Does the steps of shape.hpp.
class TransformRunner {
 public:
  TransformRunner(Transform& transform, Direction direction, const Complex* from, Complex* to,
                  base::Phases& phases)
      : t_(transform), direction_(direction), from_(from), to_(to), phases_(phases) {}

  // near[q][j][i] = from[i][q c + j], c = columns / ranks
  void pack(std::int64_t rows, std::int64_t columns) {
    auto scope = phases_.scope(phase::rearrange);
    const std::int64_t across = (columns + tile - 1) / tile, down = (rows + tile - 1) / tile;
    Complex* near = t_.near_.data();
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t at = 0; at < across; ++at)
      for (std::int64_t first = 0; first < down; ++first)
        for (std::int64_t j = at * tile; j < std::min(columns, (at + 1) * tile); ++j)
          for (std::int64_t i = first * tile; i < std::min(rows, (first + 1) * tile); ++i)
            near[j * rows + i] = from_[i * columns + j];
  }
  void exchange() {
    if (t_.shape_.ranks == 1) return;
    auto scope = phases_.scope(phase::transposition);
    t_.transpose_.near_to_far(0, 0, 1);
  }
  // to[j][p R + i] = far[p][j][i], R the rows before
  void unpack(std::int64_t rows, std::int64_t columns) {
    auto scope = phases_.scope(phase::rearrange);
    const std::int64_t ranks = t_.shape_.ranks, own = columns / ranks;
    const Complex* far = ranks == 1 ? t_.near_.data() : t_.far_.data();
    Complex* to = ++turns_ == 3 ? to_ : t_.work_.data();
    const double scale = turns_ == 3 && direction_ == Direction::inverse
                             ? 1.0 / static_cast<double>(t_.shape_.length())
                             : 1.0;
#pragma omp parallel for schedule(static)
    for (std::int64_t j = 0; j < own; ++j)
      for (std::int64_t p = 0; p < ranks; ++p)
        std::transform(far + (p * own + j) * rows, far + (p * own + j + 1) * rows,
                       to + (j * ranks + p) * rows, [=](Complex value) { return scale * value; });
    from_ = t_.work_.data();
  }
  void transform(std::int64_t rows, std::int64_t length) {
    auto scope = phases_.scope(phase::transform);
    fftw_plan plan = t_.plans_[turns_ == 1 ? 0 : 1][direction_ == Direction::forward ? 0 : 1].get();
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      fftw_complex* values = fftw(t_.work_.data() + row * length);
      fftw_execute_dft(plan, values, values);
    }
  }
  void twiddle() {
    auto scope = phases_.scope(phase::twiddle);
    const std::int64_t rows = t_.shape_.n2 / t_.shape_.ranks, first = rows * t_.world_.rank();
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t k = 0; k < t_.shape_.n1; ++k) {
        const Complex factor = t_.factor((first + row) * k);
        Complex& value = t_.work_[static_cast<std::size_t>(row * t_.shape_.n1 + k)];
        value *= direction_ == Direction::forward ? factor : std::conj(factor);
      }
  }

 private:
  Transform& t_;
  Direction direction_;
  const Complex* from_;
  Complex* to_;
  base::Phases& phases_;
  int turns_ = 0;
};

Transform::Transform(const Shape& shape, const parallel::Communicator& world,
                     parallel::TransposeMethod method, Planning planning)
    : shape_(shape),
      world_(world),
      near_(static_cast<std::size_t>(shape.own())),
      far_(static_cast<std::size_t>(shape.own())),
      work_(static_cast<std::size_t>(shape.own())),
      transpose_(world, method, static_cast<std::size_t>(shape.n1 / shape.ranks),
                 static_cast<std::size_t>(shape.n2 / shape.ranks) * sizeof(Complex),
                 {near_.data(), 1}, {far_.data(), 1}),
      low_bits_(static_cast<int>(std::ceil(shape.log2_length() / 2.0))) {
  plan(planning);
  for (std::int64_t e = 0; e < std::int64_t{1} << low_bits_; ++e)
    low_.push_back(root(e, shape.length()));
  for (std::int64_t e = 0; e <= shape.length() >> low_bits_; ++e)
    high_.push_back(root(e << low_bits_, shape.length()));
}

void Transform::plan(Planning planning) {
  const unsigned effort = planning == Planning::timed ? FFTW_MEASURE : FFTW_ESTIMATE;
  for (const int which : {0, 1})
    for (const int direction : {0, 1}) {
      const auto n = static_cast<int>(which == 0 ? shape_.n1 : shape_.n2);
      base::AlignedArray<Complex> row(static_cast<std::size_t>(n));
      auto* values = fftw(row.data());
      plans_[which][direction].reset(fftw_plan_dft_1d(
          n, values, values, direction == 0 ? FFTW_FORWARD : FFTW_BACKWARD, effort));
      base::require_environment(plans_[which][direction] != nullptr,
                                "FFTW has no plan for a transform",
                                "fftw_plan_dft_1d returned none", "try another length");
    }
}

Complex Transform::factor(std::int64_t exponent) const {
  const std::int64_t mask = (std::int64_t{1} << low_bits_) - 1;
  return low_[static_cast<std::size_t>(exponent & mask)] *
         high_[static_cast<std::size_t>(exponent >> low_bits_)];
}

void Transform::operator()(Direction direction, const Complex* from, Complex* to,
                           base::Phases& phases) {
  TransformRunner runner(*this, direction, from, to, phases);
  transform_steps(shape_, runner);
}

}  // namespace hakaru::apps::mpi_fft
