#include "apps/linpack/leaf.hpp"

#include <algorithm>

namespace hakaru::apps::linpack {
namespace {

constexpr std::int64_t line = 8;  // elements

// An odd number of cache lines: columns then lie in different sets of a cache.
std::int64_t spread(std::int64_t rows) { return ((rows + line - 1) / line | 1) * line; }

}  // namespace

Leaf::Leaf(std::int64_t most_rows)
    : data_(static_cast<std::size_t>(spread(most_rows) * widest_leaf)),
      stride_(spread(most_rows)) {}

void Leaf::load(Rowwise panel, std::int64_t first, std::int64_t rows, std::int64_t begin,
                std::int64_t end) {
  first_ = first, rows_ = rows, begin_ = begin, end_ = end;
#pragma omp parallel for if (rows > rows_worth_threads)
  for (std::int64_t i = first; i < rows; ++i)
    for (std::int64_t c = 0; c < columns(); ++c)
      data_[c * stride_ + i] = *panel.at(i, begin + c).data;
}

void Leaf::store(Rowwise panel) const {
#pragma omp parallel for if (rows_ > rows_worth_threads)
  for (std::int64_t i = first_; i < rows_; ++i)
    for (std::int64_t c = 0; c < columns(); ++c)
      *panel.at(i, begin_ + c).data = data_[c * stride_ + i];
}

void Leaf::row_out(Rowwise panel, std::int64_t i, std::int64_t width, double* out) const {
  std::copy_n(panel.at(i, 0).data, width, out);
  for (std::int64_t c = 0; c < columns(); ++c) out[begin_ + c] = data_[c * stride_ + i];
}

void Leaf::row_in(Rowwise panel, std::int64_t i, std::int64_t width, const double* in) {
  std::copy_n(in, width, panel.at(i, 0).data);
  for (std::int64_t c = 0; c < columns(); ++c) data_[c * stride_ + i] = in[begin_ + c];
}

}  // namespace hakaru::apps::linpack
