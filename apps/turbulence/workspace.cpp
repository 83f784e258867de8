#include "apps/turbulence/workspace.hpp"

#include <algorithm>

#include "native/base/first_touch.hpp"
#include "native/base/system.hpp"

namespace hakaru::apps::turbulence {

Scratch::Scratch(const Grid& grid)
    : line_size(static_cast<std::size_t>(grid.n()) * grid.width()),
      row_size(static_cast<std::size_t>(grid.n() / 2) * Plans::row_stride_of(grid.n())),
      row_stride(Plans::row_stride_of(grid.n())),
      column_size(static_cast<std::size_t>(grid.n()) * Plans::row_width_of(grid.n())),
      lines(fields * line_size),
      rows(fields * row_size),
      columns(4 * column_size),
      saved(static_cast<std::size_t>(grid.n()) * grid.n()) {
  std::fill(lines.begin(), lines.end(), Complex{});
  std::fill(rows.begin(), rows.end(), Complex{});
  std::fill(columns.begin(), columns.end(), Complex{});
  std::fill(saved.begin(), saved.end(), 0.0);
}

Workspace::Workspace(const Grid& grid, const parallel::Communicator& communicator,
                     parallel::TransposeMethod method, Rigor rigor, int threads, Clock clock)
    : grid_(grid),
      communicator_(communicator),
      threads_(threads),
      clock_(clock),
      plans_(grid.n(), rigor, communicator),
      spectral_(spectral_slots * grid.slot_size()),
      physical_(grid.ranks() > 1 ? fields * grid.slot_size() : 0),
      scratch_(threads) {
  // Stores past the cache pay where the buffers of a host do not stay in it.
  const double host_bytes = static_cast<double>(fields * grid.slot_size() * sizeof(Complex)) *
                            grid.ranks() * base::host_share(std::int64_t{grid.ranks()} * threads);
  streaming_ = host_bytes >
               static_cast<double>(std::max<std::int64_t>(base::last_level_cache_bytes(), 1 << 20));
  if (grid.ranks() > 1)
    transpose_.emplace(
        communicator, method, static_cast<std::size_t>(grid.local_y()) * grid.planes(),
        grid.n() * sizeof(Complex), parallel::SlottedBuffer{spectral_.data(), spectral_slots},
        parallel::SlottedBuffer{physical_.data(), fields});
#pragma omp parallel num_threads(threads)
  scratch_[omp_get_thread_num()] = std::make_unique<Scratch>(grid);
  base::touch_by_threads(physical_, threads);
}

void Workspace::to_physical(int first, int count) {
  if (!transpose_) return;
  const TimedPass timed(clock_, clock_.transpose);
  transpose_->near_to_far(first, 0, count);
}

void Workspace::to_spectral(int first, int count) {
  if (!transpose_) return;
  const TimedPass timed(clock_, clock_.transpose);
  transpose_->far_to_near(0, first, count);
}

void Workspace::scatter(const Block& block, const Complex* lines, int slot) {
  const int width = grid_.width();
  Complex* to = spectral_line(slot, 0, block.plane) + block.column * width;
  const std::size_t stride = static_cast<std::size_t>(grid_.planes()) * grid_.n();
  for (int y = 0; y < grid_.n(); ++y, to += stride, lines += width) {
    if (streaming_)
      for (int i = 0; i < width; i += 2) stream(to + i, load(lines + i));
    else
      for (int i = 0; i < width; i += 2) store(to + i, load(lines + i));
  }
}

void Workspace::gather(const Block& block, int slot, Complex* lines) {
  const int width = grid_.width();
  const Complex* from = spectral_line(slot, 0, block.plane) + block.column * width;
  const std::size_t stride = static_cast<std::size_t>(grid_.planes()) * grid_.n();
  for (int y = 0; y < grid_.n(); ++y, from += stride, lines += width) {
    // The neighbouring block is wanted next.
    __builtin_prefetch(from + width, 0, 2);
    __builtin_prefetch(from + width + 4, 0, 2);
    for (int i = 0; i < width; i += 2) store(lines + i, load(from + i));
  }
}

void Workspace::gather_rows(int slot, int local_y, int field, Scratch& scratch) {
  const int n = grid_.n(), width = grid_.width();
  for (int kz = 0; kz <= grid_.cutoff(); ++kz) {
    const Complex* from = physical_line(slot, local_y, kz);
    Complex* to = scratch.row(field, kz);
    const int left = grid_.left(kz) * width, right = grid_.right(kz) * width;
    std::copy(from, from + left, to);
    std::fill(to + left, to + right, Complex{});
    std::copy(from + right, from + n, to + right);
  }
}

void Workspace::scatter_rows(int slot, int local_y, int field, Scratch& scratch) {
  const int n = grid_.n(), width = grid_.width();
  for (int kz = 0; kz <= grid_.cutoff(); ++kz) {
    const Complex* from = scratch.row(field, kz);
    Complex* to = physical_line(slot, local_y, kz);
    const int left = grid_.left(kz) * width, right = grid_.right(kz) * width;
    std::copy(from, from + left, to);
    std::copy(from + right, from + n, to + right);
  }
}

}  // namespace hakaru::apps::turbulence
