#include "apps/cg/matrix.hpp"

#include <algorithm>
#include <cmath>

#include "apps/cg/generator.hpp"

namespace hakaru::apps::cg {
namespace {

struct Element {
  std::int32_t column;
  double value;
};

bool holds(const Block& block, std::int64_t index) {
  return index >= block.first && index < block.first + block.count;
}

// Elements of the part in the order of the generating vectors, by rows: several for one place.
struct Terms {
  std::vector<std::int64_t> starts;
  std::vector<Element> elements;
};

template <typename Use>
void each_term(const Problem& problem, const SparseVectors& vectors, const Part& part, Use&& use) {
  const double ratio = std::pow(condition, 1.0 / static_cast<double>(problem.n));
  double weight = 1.0;
  for (std::int64_t i = 0; i < problem.n; ++i, weight *= ratio)
    for (std::int64_t a = vectors.starts[i]; a < vectors.starts[i + 1]; ++a) {
      const std::int64_t row = vectors.places[a];
      if (!holds(part.rows, row)) continue;
      for (std::int64_t b = vectors.starts[i]; b < vectors.starts[i + 1]; ++b) {
        const std::int64_t column = vectors.places[b];
        if (!holds(part.columns, column)) continue;
        double value = vectors.values[b] * (weight * vectors.values[a]);
        if (row == i && column == i) value += condition - problem.shift;
        use(row - part.rows.first, Element{static_cast<std::int32_t>(column), value});
      }
    }
}

Terms terms_of(const Problem& problem, const Part& part) {
  const SparseVectors vectors = generating_vectors(problem);
  Terms terms;
  terms.starts.assign(part.rows.count + 1, 0);
  each_term(problem, vectors, part,
            [&](std::int64_t row, const Element&) { ++terms.starts[row + 1]; });
  for (std::int64_t row = 0; row < part.rows.count; ++row)
    terms.starts[row + 1] += terms.starts[row];
  terms.elements.resize(static_cast<std::size_t>(terms.starts.back()));
  std::vector<std::int64_t> next(terms.starts.begin(), terms.starts.end() - 1);
  each_term(problem, vectors, part, [&](std::int64_t row, const Element& element) {
    terms.elements[next[row]++] = element;
  });
  return terms;
}

// Sums terms of one place; returns how many elements are left.
std::int64_t merge(Element* first, Element* last) {
  std::stable_sort(first, last,
                   [](const Element& a, const Element& b) { return a.column < b.column; });
  Element* out = first;
  for (Element* in = first; in != last; ++in)
    if (out != first && out[-1].column == in->column)
      out[-1].value += in->value;
    else
      *out++ = *in;
  return out - first;
}

// Where columns lie in a vector of which each rank has given its block, filled up to the widest.
std::vector<std::int32_t> gathered_places(std::int64_t n, int ranks) {
  std::vector<std::int32_t> places;
  for (int rank = 0; rank < ranks; ++rank) {
    const Block block = block_of(n, rank, ranks);
    for (std::int64_t i = 0; i < block.count; ++i)
      places.push_back(static_cast<std::int32_t>(rank * widest_block(n, ranks) + i));
  }
  return places;
}

}  // namespace

Matrix::Matrix(const Problem& problem, const Part& part) {
  Terms terms = terms_of(problem, part);
  const std::int64_t rows = part.rows.count;
  std::vector<std::int64_t> lengths(rows);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int64_t row = 0; row < rows; ++row)
    lengths[row] = merge(terms.elements.data() + terms.starts[row],
                         terms.elements.data() + terms.starts[row + 1]);
  starts_.assign(rows + 1, 0);
  for (std::int64_t row = 0; row < rows; ++row) starts_[row + 1] = starts_[row] + lengths[row];
  columns_ = base::AlignedArray<std::int32_t>(starts_.back());
  values_ = base::AlignedArray<double>(starts_.back());
  std::vector<std::int32_t> gathered;
  if (part.column_ranks > 0) gathered = gathered_places(problem.n, part.column_ranks);
#pragma omp parallel for
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < lengths[row]; ++i) {
      const Element& element = terms.elements[terms.starts[row] + i];
      columns_[starts_[row] + i] =
          gathered.empty() ? static_cast<std::int32_t>(element.column - part.columns.first)
                           : gathered[element.column];
      values_[starts_[row] + i] = element.value;
    }
}

namespace {

inline double row_product(const double* values, const std::int32_t* columns, std::int64_t count,
                          const double* x) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += values[i] * x[columns[i]];
  return sum;
}

}  // namespace

void Matrix::multiply(const double* x, double* y) const {
#pragma omp parallel for
  for (std::int64_t row = 0; row < rows(); ++row)
    y[row] = row_product(values_.data() + starts_[row], columns_.data() + starts_[row],
                         starts_[row + 1] - starts_[row], x);
}

void Matrix::add_product(const double* x, double* y) const {
#pragma omp parallel for
  for (std::int64_t row = 0; row < rows(); ++row)
    y[row] += row_product(values_.data() + starts_[row], columns_.data() + starts_[row],
                          starts_[row + 1] - starts_[row], x);
}

}  // namespace hakaru::apps::cg
