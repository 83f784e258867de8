#include <array>

#include "calls.hpp"

namespace hakaru::calls {
namespace {

constexpr int window = 64;
constexpr int tag = 1;

void send(const Ranks& all, std::size_t bytes, int to) {
  MPI_Send(all.to.data(), static_cast<int>(bytes), MPI_CHAR, to, tag, MPI_COMM_WORLD);
}

void receive(Ranks& all, std::size_t bytes, int from) {
  MPI_Recv(all.from.data(), static_cast<int>(bytes), MPI_CHAR, from, tag, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
}

void round_trips(Ranks& all, std::size_t bytes, int count) {
  for (int i = 0; i < count && all.rank < 2; ++i) {
    if (all.rank == 0) send(all, bytes, 1);
    receive(all, bytes, 1 - all.rank);
    if (all.rank == 1) send(all, bytes, 0);
  }
}

// OSU latency: ping-pongs of every size.
void latency(Ranks& all) {
  for (const std::size_t bytes : sizes()) round_trips(all, bytes, often(bytes));
}

// Longer than caches.
void long_messages(Ranks& all) {
  for (const std::size_t bytes : {std::size_t{1} << 26, std::size_t{1} << 28}) {
    all.to.resize(bytes, 1);
    all.from.resize(bytes, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    round_trips(all, bytes, 2);
  }
}

// OSU bandwidth: windows of non-blocking messages out of one buffer, each answered by four bytes.
void bandwidth(Ranks& all) {
  std::array<MPI_Request, window> requests{};
  for (const std::size_t bytes : sizes()) {
    for (int i = 0; i < 1 + often(bytes) / window && all.rank < 2; ++i) {
      for (MPI_Request& request : requests) {
        if (all.rank == 0)
          MPI_Isend(all.to.data(), static_cast<int>(bytes), MPI_CHAR, 1, tag, MPI_COMM_WORLD,
                    &request);
        else
          MPI_Irecv(all.from.data(), static_cast<int>(bytes), MPI_CHAR, 0, tag, MPI_COMM_WORLD,
                    &request);
      }
      MPI_Waitall(window, requests.data(), MPI_STATUSES_IGNORE);
      if (all.rank == 1) send(all, 4, 0);
      if (all.rank == 0) receive(all, 4, 1);
    }
  }
}

void send_receive(Ranks& all) {
  for (const std::size_t bytes : sizes())
    for (int i = 0; i < often(bytes); ++i)
      MPI_Sendrecv(all.to.data(), static_cast<int>(bytes), MPI_CHAR, all.next, tag, all.from.data(),
                   static_cast<int>(bytes), MPI_CHAR, all.previous, tag, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
}

// A halo: both neighbours, non-blocking.
void exchange(Ranks& all) {
  std::array<MPI_Request, 4> requests{};
  for (const std::size_t bytes : sizes(longest_bytes / 2)) {
    const int count = static_cast<int>(bytes);
    char* second = all.from.data() + longest_bytes / 2;
    for (int i = 0; i < often(2 * bytes); ++i) {
      MPI_Irecv(all.from.data(), count, MPI_CHAR, all.previous, 2, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(second, count, MPI_CHAR, all.next, 3, MPI_COMM_WORLD, &requests[1]);
      MPI_Isend(all.to.data(), count, MPI_CHAR, all.next, 2, MPI_COMM_WORLD, &requests[2]);
      MPI_Isend(all.to.data(), count, MPI_CHAR, all.previous, 3, MPI_COMM_WORLD, &requests[3]);
      MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    }
  }
}

void persistent(Ranks& all) {
  for (const std::size_t bytes : sizes()) {
    std::array<MPI_Request, 2> requests{};
    const int count = static_cast<int>(bytes);
    MPI_Recv_init(all.from.data(), count, MPI_CHAR, all.previous, tag, MPI_COMM_WORLD,
                  &requests[0]);
    MPI_Send_init(all.to.data(), count, MPI_CHAR, all.next, tag, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < often(bytes); ++i) {
      MPI_Startall(2, requests.data());
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    }
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  }
}

// Every eighth number of a column: the library packs and unpacks.
void strided(Ranks& all) {
  for (const std::size_t bytes : sizes(longest_bytes / 8)) {
    if (bytes < 8) continue;
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(static_cast<int>(bytes / 8), 1, 8, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < often(4 * bytes); ++i)
      MPI_Sendrecv(all.to.data(), 1, column, all.next, tag, all.from.data(), 1, column,
                   all.previous, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
  }
}

}  // namespace

std::map<std::string, Program> two_sided() {
  return {{"latency", latency},       {"long", long_messages}, {"bandwidth", bandwidth},
          {"sendrecv", send_receive}, {"exchange", exchange},  {"persistent", persistent},
          {"strided", strided}};
}

}  // namespace hakaru::calls
