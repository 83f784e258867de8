// Which fields the operations of a file have. Shared by reading and writing.
#pragma once

#include <cstdint>

#include "native/schedule/operation.hpp"

namespace hakaru::schedule {

enum Field : std::uint32_t {
  peer_field = 1,  // "peer" or "shift"
  root_field = 2,
  tag_field = 4,
  bytes_field = 8,
  communicator_field = 16,
  request_field = 32,
  mode_field = 64,
  list_field = 128,
  piece_field = 256,
  grid_field = 512,
  persistent_field = 1024,
};

struct Fields {
  std::uint32_t required = 0, optional = 0;
};

// Of kinds other than compute, the phase marks and the loop marks, which have fields of their own.
inline Fields fields_of(Kind kind) {
  constexpr std::uint32_t message = peer_field | tag_field | bytes_field;
  switch (kind) {
    case Kind::send:
    case Kind::receive:
    case Kind::probe:
      return {message, communicator_field | mode_field | piece_field};
    case Kind::isend:
      return {message | request_field,
              communicator_field | mode_field | piece_field | persistent_field};
    case Kind::ireceive:
      return {message | request_field, communicator_field | mode_field | piece_field};
    case Kind::wait:
    case Kind::fork:  // and "operations"
      return {request_field, 0};
    case Kind::collective:
      return {0, bytes_field | root_field | communicator_field | request_field | list_field |
                     grid_field};
    case Kind::put:
    case Kind::get:
    case Kind::accumulate:
      return {peer_field | bytes_field,
              communicator_field | request_field | tag_field | list_field};
    case Kind::post:
    case Kind::start:
      return {list_field, communicator_field};
    case Kind::lock:
    case Kind::unlock:
    case Kind::flush:
      return {0, peer_field | communicator_field | mode_field};
    case Kind::flag_wait:
      return {tag_field | bytes_field, communicator_field};
    case Kind::file_read:
    case Kind::file_write:
      return {bytes_field, communicator_field | mode_field | request_field};
    case Kind::file_open:
    case Kind::file_close:
      return {0, communicator_field | mode_field};
    case Kind::fence:
    case Kind::complete:
    case Kind::wait_exposure:
      return {0, communicator_field | list_field};
    default:
      return {};
  }
}

}  // namespace hakaru::schedule
