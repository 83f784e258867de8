// Transposition buffers and scratch memory of the transforms, and the passes that move data between
// them.
//
// A slot of the spectral-side buffer is [y][plane][ikx]: y in blocks of local_y() a rank, so that
// block q goes to rank q as it lies. A slot of the physical-side buffer is [rank][local y][plane of
// that rank][ikx]. No pass only packs for a message: the transforms' own loads and stores go to
// where the message is sent from.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "apps/turbulence/fourier.hpp"
#include "apps/turbulence/pair.hpp"
#include "apps/turbulence/timing.hpp"
#include "native/parallel/transpose.hpp"

namespace hakaru::apps::turbulence {

// Slots: six fields go out; the three results of the first grid stay while the second is worked on.
inline constexpr int fields = 6, results = 3, spectral_slots = fields + results;

// Memory of one thread, first touched by it.
struct Scratch {
  explicit Scratch(const Grid& grid);
  Complex* line(int field) { return lines.data() + field * line_size; }
  Complex* row(int field, int kz) { return rows.data() + field * row_size + kz * row_stride; }
  Complex* column(int field) { return columns.data() + field * column_size; }

  std::size_t line_size, row_size, row_stride, column_size;
  base::AlignedArray<Complex> lines;    // [fields][n][width]
  base::AlignedArray<Complex> rows;     // [fields][n / 2][row stride]
  base::AlignedArray<Complex> columns;  // [4][n][row width]
  base::AlignedArray<double> saved;  // [n][n]: third component of the product on the plane before
};

class Workspace {
 public:
  // Collective. `communicator` and `grid` must outlive the workspace.
  Workspace(const Grid& grid, const parallel::Communicator& communicator,
            parallel::TransposeMethod method, Rigor rigor, int threads, Clock clock);

  const Grid& grid() const { return grid_; }
  const Plans& plans() const { return plans_; }
  const Clock& clock() const { return clock_; }
  int threads() const { return threads_; }
  const parallel::Communicator& communicator() const { return communicator_; }
  Scratch& scratch() { return *scratch_[omp_get_thread_num()]; }

  // First value of `ikx = 0` of a line along kx.
  Complex* spectral_line(int slot, int y, int plane) {
    return spectral_.data() + slot * grid_.slot_size() +
           (static_cast<std::size_t>(y) * grid_.planes() + plane) * grid_.n();
  }
  Complex* physical_line(int slot, int local_y, int kz) {
    const std::size_t rank = kz % grid_.ranks(), plane = kz / grid_.ranks();
    return physical() + slot * grid_.slot_size() +
           ((rank * grid_.local_y() + local_y) * grid_.planes() + plane) * grid_.n();
  }
  // The slot of the physical side that belongs to `slot` of the spectral side: with one rank the
  // buffers are the same.
  int physical_slot(int slot, int first) const { return transpose_ ? slot - first : slot; }

  // Slots first .. first + count - 1 of the spectral side become visible on the physical side, and
  // back. Collective.
  void to_physical(int first, int count);
  void to_spectral(int first, int count);

  // Transformed block of lines in scratch.line(field) -> slot; and back.
  void scatter(const Block& block, const Complex* lines, int slot);
  void gather(const Block& block, int slot, Complex* lines);
  // Row segments that hold retained modes: slot -> scratch.row(field, kz) with zeros elsewhere; and
  // back.
  void gather_rows(int slot, int local_y, int field, Scratch& scratch);
  void scatter_rows(int slot, int local_y, int field, Scratch& scratch);

 private:
  Complex* physical() { return transpose_ ? physical_.data() : spectral_.data(); }

  const Grid& grid_;
  const parallel::Communicator& communicator_;
  int threads_;
  Clock clock_;
  bool streaming_;
  Plans plans_;
  base::AlignedArray<Complex> spectral_, physical_;
  std::optional<parallel::SlabTranspose> transpose_;
  std::vector<std::unique_ptr<Scratch>> scratch_;
};

}  // namespace hakaru::apps::turbulence
