// A thin owner of an MPI communicator. `handle()` gives the MPI_Comm for calls that are not
// wrapped; wrap them in HAKARU_MPI(...).
#pragma once

#include <mpi.h>

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "native/parallel/error.hpp"

namespace hakaru::parallel {

// MPI datatype of an element type.
template <typename Element>
MPI_Datatype datatype_of() {
  if constexpr (std::is_same_v<Element, double>)
    return MPI_DOUBLE;
  else if constexpr (std::is_same_v<Element, float>)
    return MPI_FLOAT;
  else if constexpr (std::is_same_v<Element, std::complex<double>>)
    return MPI_C_DOUBLE_COMPLEX;
  else if constexpr (std::is_same_v<Element, std::complex<float>>)
    return MPI_C_FLOAT_COMPLEX;
  else if constexpr (std::is_same_v<Element, int>)
    return MPI_INT;
  else if constexpr (std::is_same_v<Element, std::int64_t>)
    return MPI_INT64_T;
  else if constexpr (std::is_same_v<Element, std::uint64_t>)
    return MPI_UINT64_T;
  else {
    static_assert(std::is_same_v<Element, char>, "no MPI datatype for this element type");
    return MPI_CHAR;
  }
}

// Communicators are move-only; those made here are freed on destruction, the world is not. Every
// method is collective unless said otherwise.
class Communicator {
 public:
  // MPI_COMM_WORLD, not owned.
  static Communicator world();
  // Not owned: a second name for a communicator that lives longer.
  static Communicator borrow(MPI_Comm handle);
  // Takes ownership of a communicator made elsewhere (MPI_Cart_create, ...).
  static Communicator adopt(MPI_Comm handle);

  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  MPI_Comm handle() const { return handle_; }
  int rank() const { return rank_; }  // not collective
  int size() const { return size_; }  // not collective

  Communicator duplicate() const;
  // Ranks with the same colour form a communicator, ordered by key. A negative colour gives an
  // empty optional-like one with size 0.
  Communicator split(int colour, int key) const;
  // These ranks of this communicator, in this order. Collective over them alone: the others do not
  // call it. `tag` tells groups apart that are made at the same time.
  Communicator subset(const std::vector<int>& ranks, int tag = 0) const;
  // Ranks that share memory.
  Communicator split_shared() const;

  void barrier() const;

  template <typename Element>
  Element reduce_all(Element value, MPI_Op operation) const {
    Element result{};
    HAKARU_MPI(MPI_Allreduce(&value, &result, 1, datatype_of<Element>(), operation, handle_));
    return result;
  }
  template <typename Element>
  Element sum(Element value) const {
    return reduce_all(value, MPI_SUM);
  }
  template <typename Element>
  Element maximum(Element value) const {
    return reduce_all(value, MPI_MAX);
  }
  template <typename Element>
  Element minimum(Element value) const {
    return reduce_all(value, MPI_MIN);
  }

  // Element-wise, in place.
  template <typename Element>
  void reduce_all(std::vector<Element>& values, MPI_Op operation) const {
    HAKARU_MPI(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                             datatype_of<Element>(), operation, handle_));
  }
  template <typename Element>
  void sum(std::vector<Element>& values) const {
    reduce_all(values, MPI_SUM);
  }

  bool all(bool value) const { return reduce_all(value ? 1 : 0, MPI_MIN) == 1; }

  template <typename Element>
  void broadcast(std::vector<Element>& values, int root) const {
    HAKARU_MPI(MPI_Bcast(values.data(), static_cast<int>(values.size()), datatype_of<Element>(),
                         root, handle_));
  }

  // Concatenation in rank order at the root, empty elsewhere; every rank gives the same number of
  // values.
  template <typename Element>
  std::vector<Element> gather(const std::vector<Element>& values, int root) const {
    const int count = static_cast<int>(values.size());
    std::vector<Element> all_values(rank_ == root ? values.size() * size_ : 0);
    HAKARU_MPI(MPI_Gather(values.data(), count, datatype_of<Element>(), all_values.data(), count,
                          datatype_of<Element>(), root, handle_));
    return all_values;
  }

  // One text a rank, in rank order, at the root; empty elsewhere. Lengths may differ.
  std::vector<std::string> gather_text(const std::string& text, int root) const;

 private:
  Communicator(MPI_Comm handle, bool owned);
  MPI_Comm handle_ = MPI_COMM_NULL;
  bool owned_ = false;
  int rank_ = 0, size_ = 0;
};

}  // namespace hakaru::parallel
