// Tells a tracer about an operation for as long as the object lives.
#pragma once

#include <cstddef>

#include "native/parallel/communicator.hpp"
#include "native/parallel/remote_memory.hpp"
#include "native/parallel/remote_operation.h"

namespace hakaru::parallel {

class Announcement {
 public:
  Announcement(hakaru_remote_kind kind, const Communicator& group, int peer, std::size_t bytes,
               std::size_t items, Flags flags)
      : operation_{kind,
                   peer,
                   flags.received,
                   flags.sent,
                   static_cast<long long>(bytes),
                   static_cast<long long>(items),
                   group.handle()} {
    MPI_Pcontrol(HAKARU_REMOTE_BEGIN, &operation_);
  }
  ~Announcement() { MPI_Pcontrol(HAKARU_REMOTE_END, &operation_); }
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;

 private:
  hakaru_remote_operation operation_;
};

}  // namespace hakaru::parallel
