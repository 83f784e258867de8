// Arrays that are spread over the ranks of a group, with the bulk operations that VPP Fortran has
// for them: SPREAD MOVE between a distributed and a local array, OVERLAP FIX for halos.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "native/parallel/distribution.hpp"
#include "native/parallel/remote_memory.hpp"

namespace hakaru::parallel {

class DistributedArray;

// Elements begin[d] ... end[d] - 1 of every dimension.
struct Box {
  std::vector<std::int64_t> begin, end;
};

// A bulk copy under way. Its local array may be used after wait(); the destructor waits.
class [[nodiscard]] Move {
 public:
  Move(Move&& other) noexcept;
  Move& operator=(Move&&) = delete;
  ~Move();
  void wait();

 private:
  friend class DistributedArray;
  Move(DistributedArray& array, int flag, std::uint64_t raises)
      : array_(&array), flag_(flag), raises_(raises) {}
  DistributedArray* array_;
  int flag_;  // 0: a copy to the distributed array
  std::uint64_t raises_;
};

// One to three dimensions, the last one contiguous. Ranks form a grid, the last dimension fastest.
class DistributedArray {
 public:
  // Collective; the group must outlive it. Throws UserError (usage) when the grid is not the group,
  // a halo is longer than a block next to it, or a cyclic dimension has a halo.
  DistributedArray(const Communicator& group, std::size_t element_bytes,
                   std::vector<Dimension> dimensions, RemotePath path = RemotePath::automatic);
  DistributedArray(const DistributedArray&) = delete;
  DistributedArray& operator=(const DistributedArray&) = delete;

  const Dimension& dimension(int d) const { return dimensions_[static_cast<std::size_t>(d)]; }
  int coordinate(int d) const { return coordinates_of(rank_)[static_cast<std::size_t>(d)]; }
  // Own elements of a dimension, without halo.
  std::int64_t count(int d) const { return dimension(d).count(coordinate(d)); }
  // Global index of own element 0.
  std::int64_t first(int d) const { return dimension(d).first(coordinate(d)); }
  // An own element, or one of its halo: index[d] is -halo ... count(d) + halo - 1.
  template <typename Element>
  Element& at(const std::array<std::int64_t, 3>& index) {
    return *memory_.as<Element>(place(index));
  }
  RemoteMemory& memory() { return memory_; }

  // Between the elements of a box, wherever they are, and a dense local array of the box's shape.
  // Not collective; the caller sees to it that nobody changes them meanwhile. A copy to the array
  // is complete at its targets after wait(). At most 8 copies from it may be under way. Throws
  // UserError (usage) when the box is not within the array, or when there are more.
  Move spread_move_to(const Box& box, const void* local);
  Move spread_move_from(const Box& box, void* local);

  // Copies the elements next to each block's ends into the halos of its neighbours, dimension by
  // dimension, so that corners are right too. Collective: a rank's halos are written from when it
  // calls until it returns, and its own elements may change then.
  void overlap_fix();

 private:
  friend class Move;
  using Coordinates = std::vector<int>;
  static constexpr int most_moves = 8;
  enum HaloFlag { ready_low = 1, ready_high, data_low, data_high, halo_flags = data_high };

  std::size_t place(const std::array<std::int64_t, 3>& index) const;
  Coordinates coordinates_of(int rank) const;
  int rank_of(const Coordinates& coordinates) const;
  // Steps between elements of each dimension in a rank's memory, in bytes.
  std::vector<std::size_t> steps_of(const Coordinates& coordinates) const;
  std::size_t bytes_of(int rank) const;
  void check_grid(int ranks) const;
  void check_box(const Box& box) const;
  // Calls part(rank, remote_offset, local_offset, section) for what each rank holds of a box.
  template <typename Part>
  void for_each_part(const Box& box, Part part) const;
  int free_move_flag();
  int neighbour(int d, int direction) const;
  int halo_flag(int d, HaloFlag flag) const { return most_moves + d * halo_flags + flag; }
  void put_halo(int d, int direction, int rank);

  std::vector<Dimension> dimensions_;
  std::size_t element_bytes_;
  int rank_;
  RemoteMemory memory_;
  std::array<bool, most_moves> under_way_{};
};

}  // namespace hakaru::parallel
