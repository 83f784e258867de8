#include "apps/median_filter/solver.hpp"

#include <utility>

#include "apps/median_filter/filter.hpp"
#include "apps/median_filter/halo.hpp"
#include "apps/median_filter/image.hpp"
#include "apps/median_filter/phases.hpp"
#include "apps/median_filter/reference.hpp"

namespace hakaru::apps::median_filter {
namespace {

// The original, and what the last two passes gave.
int images_of(std::int64_t passes) { return passes == 1 ? 2 : 3; }

Shape shape_of(const Problem& problem, std::int64_t value_bytes, int rank, int ranks) {
  const Extent& image = problem.image;
  return Shape({image.x, image.y, planes_of(image.z, rank, ranks).count}, problem.window,
               value_bytes);
}

template <typename Value>
class SlabSolver final : public Solver {
 public:
  SlabSolver(const Problem& problem, Pages pages)
      : problem_(problem),
        share_(planes_of(problem.image.z, world_.rank(), world_.size())),
        shape_(shape_of(problem, sizeof(Value), world_.rank(), world_.size())),
        filter_(problem.window),
        halo_({problem.image.z, world_.size(), problem.window.z, problem.beyond.edge}, world_) {
    for (int i = 0; i < images_of(problem.passes); ++i) {
      images_[i] = Image<Value>(shape_, pages);
      fill(images_[i], shape_, problem.image, share_.first);
    }
  }

  void filter(base::Phases& phases) override {
    const int edges = phases.index(phase::edges), halo = phases.index(phase::halo),
              filter = phases.index(phase::filter);
    last_ = 0;
    for (std::int64_t pass = 0; pass < problem_.passes; ++pass) {
      Value* image = images_[last_].data();
      {
        auto phase = phases.scope(edges);
        continue_planes(image, shape_, problem_.beyond);
        halo_.continue_own(image, shape_, problem_.beyond);
      }
      {
        auto phase = phases.scope(halo);
        halo_.exchange(image, shape_);
      }
      auto phase = phases.scope(filter);
      before_ = last_;
      last_ = last_ == 1 ? images_of(problem_.passes) - 1 : 1;
      filter_.apply(shape_, image, images_[last_].data());
    }
  }

  Comparison compare_last_pass(std::int64_t stride) const override {
    const Value* image = images_[before_].data();
    const auto value_at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
      return problem_.passes == 1 ? original_at(x, y, z + share_.first)
                                  : image[shape_.index(x, y, z)];
    };
    return compare(stride, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
      return sorted_median<Value>(problem_.window, x, y, z, value_at);
    });
  }

  Comparison compare_with_reference() const override {
    const Whole<Value> expected = reference<Value>(problem_, share_);
    return compare(1, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
      return expected.at(x, y, z + share_.first);
    });
  }

  void damage() override {
    if (world_.rank() == 0) images_[last_].data()[shape_.index(0, 0, 0)] += Value{1};
  }

  Given pages_given() const override {
    std::vector<const Mapping*> mappings;
    for (int i = 0; i < images_of(problem_.passes); ++i) mappings.push_back(&images_[i].mapping());
    return given(mappings);
  }

 private:
  // Of any integer point of the whole image and beyond.
  Value original_at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    const Extent& image = problem_.image;
    const Edge edge = problem_.beyond.edge;
    const std::int64_t i = source_of(edge, x, image.x), j = source_of(edge, y, image.y),
                       k = source_of(edge, z, image.z);
    if (i == outside || j == outside || k == outside)
      return static_cast<Value>(problem_.beyond.value);
    return stored<Value>(brightness(image, i, j, k));
  }

  template <typename Expected>
  Comparison compare(std::int64_t stride, const Expected& expected) const {
    const Extent& image = problem_.image;
    const Value* found = images_[last_].data();
    Comparison all;
#pragma omp parallel
    {
      Comparison own;
#pragma omp for schedule(dynamic)
      for (std::int64_t z = 0; z < shape_.extent.z; ++z) {
        const std::int64_t plane = (z + share_.first) * image.x * image.y;
        for (std::int64_t i = (stride - plane % stride) % stride; i < image.x * image.y;
             i += stride) {
          const std::int64_t x = i % image.x, y = i / image.x;
          const double factor = weight(image, x, y, z + share_.first);
          const Value ours = found[shape_.index(x, y, z)], right = expected(x, y, z);
          own.found.add(factor * static_cast<double>(ours));
          own.expected.add(factor * static_cast<double>(right));
          ++own.compared;
          own.different += ours == right ? 0 : 1;
        }
      }
#pragma omp critical
      {
        all.found.merge(own.found);
        all.expected.merge(own.expected);
        all.compared += own.compared;
        all.different += own.different;
      }
    }
    return all;
  }

  Problem problem_;
  parallel::Communicator world_ = parallel::Communicator::world();
  base::Share share_;
  Shape shape_;
  Filter<Value> filter_;
  Halo<Value> halo_;
  Image<Value> images_[3];     // the original first
  int before_ = 0, last_ = 0;  // the images that the last pass read and wrote
};

}  // namespace

std::unique_ptr<Solver> make_solver(const Problem& problem, Values values, Pages pages) {
  switch (values) {
    case Values::integer:
      return std::make_unique<SlabSolver<std::int32_t>>(problem, pages);
    case Values::real_single:
      return std::make_unique<SlabSolver<float>>(problem, pages);
    case Values::real_double:
      break;
  }
  return std::make_unique<SlabSolver<double>>(problem, pages);
}

double image_bytes(const Problem& problem, Values values, int rank, int ranks) {
  const std::int64_t bytes = value_bytes(values);
  return static_cast<double>(images_of(problem.passes) * bytes *
                             shape_of(problem, bytes, rank, ranks).values);
}

}  // namespace hakaru::apps::median_filter
