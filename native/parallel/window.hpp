// A thin owner of an MPI window over memory that someone else owns.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace hakaru::parallel {

class Communicator;

class Window {
 public:
  // No window.
  Window() = default;
  // Collective. The memory must outlive the window; displacements count bytes.
  Window(const Communicator& communicator, void* memory, std::size_t bytes);
  Window(Window&& other) noexcept;
  Window& operator=(Window&& other) noexcept;
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window();

  MPI_Win handle() const { return handle_; }
  // MPI_Win_fence; `assertion` as there. Collective.
  void fence(int assertion = 0);

 private:
  MPI_Win handle_ = MPI_WIN_NULL;
};

}  // namespace hakaru::parallel
