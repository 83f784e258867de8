#include "native/parallel/window.hpp"

#include <utility>

#include "native/parallel/communicator.hpp"

namespace hakaru::parallel {

Window::Window(const Communicator& communicator, void* memory, std::size_t bytes) {
  HAKARU_MPI(MPI_Win_create(memory, static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL,
                            communicator.handle(), &handle_));
  HAKARU_MPI(MPI_Win_set_errhandler(handle_, MPI_ERRORS_RETURN));
}

Window::Window(Window&& other) noexcept : handle_(std::exchange(other.handle_, MPI_WIN_NULL)) {}

Window& Window::operator=(Window&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

Window::~Window() {
  if (handle_ == MPI_WIN_NULL) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Win_free(&handle_);
}

void Window::fence(int assertion) { HAKARU_MPI(MPI_Win_fence(assertion, handle_)); }

}  // namespace hakaru::parallel
