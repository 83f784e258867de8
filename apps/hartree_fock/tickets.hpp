// Numbers that ranks draw from one counter: dynamic load balance.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "native/parallel/communicator.hpp"

namespace hakaru::apps::hartree_fock {

class Tickets {
 public:
  // Collective. The counter is in the memory of rank 0.
  explicit Tickets(const parallel::Communicator& world);
  ~Tickets();
  Tickets(const Tickets&) = delete;
  Tickets& operator=(const Tickets&) = delete;

  // Collective: the next number is 0.
  void reset();
  // Draws `count` numbers that follow each other; the first of them.
  std::int64_t draw(std::int64_t count);

 private:
  const parallel::Communicator& world_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::int64_t* counter_ = nullptr;
};

}  // namespace hakaru::apps::hartree_fock
