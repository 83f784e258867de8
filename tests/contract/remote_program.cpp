// Every operation of PUT and GET, in a group of all ranks and in halves of them: what the contract
// tests compare with its schedule. `remote_program` runs, `remote_program schedule RANKS` prints.
#include <array>
#include <cstdlib>
#include <iostream>
#include <string>

#include "native/parallel/environment.hpp"
#include "native/parallel/remote_memory.hpp"
#include "native/parallel/ring_buffer.hpp"
#include "native/schedule/json.hpp"
#include "native/schedule/stream_writer.hpp"

namespace {

using hakaru::parallel::Communicator;
using hakaru::parallel::RemoteMemory;
using hakaru::parallel::RingBuffer;
using hakaru::parallel::Stride;
using hakaru::schedule::Collective;
using hakaru::schedule::RankWriter;
using hakaru::schedule::StreamWriter;

constexpr int arrived = 1, left_here = 2, turns = 3;

// A region as `run` tells it.
class Region {
 public:
  explicit Region(const char* name) : name_(name) { MPI_Pcontrol(1, name_); }
  ~Region() { MPI_Pcontrol(-1, name_); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  const char* name_;
};

void exchange(RemoteMemory& memory, RingBuffer& ring, int next, int previous) {
  std::array<double, 32> local{};
  const Stride column{8, 4, 32}, block{32, 1, 32};
  memory.put(next, 0, local.data(), 64, {.sent = left_here, .received = arrived});
  memory.put_stride(previous, 128, column, local.data(), block, {.received = arrived});
  memory.wait_flag(arrived, 2);
  memory.wait_flag(left_here);
  memory.get(previous, 0, local.data(), 16, {.received = arrived});
  memory.get_stride(next, 128, column, local.data(), column, {.sent = left_here});
  memory.wait_flag(arrived);
  memory.acknowledge();
  memory.acknowledge_and_barrier();
  ring.send(next, 7, local.data(), 200);
  ring.receive(previous, 7, local.data(), 200);
  memory.write_remote(next, 0, local.data(), 8);
  memory.read_remote(next, 0, local.data(), 8);
}

void write_exchange(RankWriter& writer, int next, int previous, std::uint32_t group) {
  writer.put(next, 64, {.sent_flag = left_here, .received_flag = arrived}, group);
  writer.put(previous, 32, {.received_flag = arrived, .items = 4}, group);
  writer.flag_wait(arrived, 2);
  writer.flag_wait(left_here);
  writer.get(previous, 16, {.received_flag = arrived}, group);
  writer.get(next, 32, {.sent_flag = left_here, .items = 4}, group);
  writer.flag_wait(arrived);
  writer.acknowledge(group);
  writer.acknowledge(group);
  writer.collective(Collective::barrier, 0, group);
  writer.send(next, 7, 200, group);
  writer.receive(previous, 7, 200, group);
  writer.put(next, 8, {}, group);
  writer.acknowledge(group);
  writer.get(next, 8, {}, group);
  writer.acknowledge(group);
}

void run() {
  const Communicator world = Communicator::world();
  const Communicator half = world.split(world.rank() % 2, world.rank());
  RemoteMemory of_all(world, 512, 2), of_half(half, 512, 2);
  RingBuffer ring_of_all(world), ring_of_half(half);
  const auto turn = [](RemoteMemory& memory, RingBuffer& ring) {
    const int rank = memory.group().rank(), size = memory.group().size();
    exchange(memory, ring, (rank + 1) % size, (rank + size - 1) % size);
  };
  world.barrier();
  {
    const Region repetition("repetition");
    const Region inner("exchange");
    for (int i = 0; i < turns; ++i) turn(of_all, ring_of_all);
    turn(of_half, ring_of_half);
  }
  {
    const Region idle("wait for others");
    world.barrier();
  }
  world.gather(std::vector<double>{0.0}, 0);
}

void write(RankWriter& writer, hakaru::schedule::Schedule& schedule) {
  const int rank = writer.rank(), ranks = writer.ranks();
  const int size = (ranks + 1 - rank % 2) / 2, place = rank / 2;
  const auto member = [&](int of_half) { return of_half * 2 + rank % 2; };
  const std::uint32_t half =
      hakaru::schedule::split(schedule, "half", [](std::int32_t other) { return other % 2; });
  writer.collective(Collective::barrier, 0);
  writer.phase("repetition", [&] {
    writer.phase("exchange", [&] {
      writer.repeat(turns, [&] {
        write_exchange(writer, (rank + 1) % ranks, (rank + ranks - 1) % ranks,
                       hakaru::schedule::world);
      });
      write_exchange(writer, member((place + 1) % size), member((place + size - 1) % size), half);
    });
  });
  writer.phase("wait for others", [&] { writer.collective(Collective::barrier, 0); });
  writer.collective(Collective::gather, 8, hakaru::schedule::world, 0);
}

void print_schedule(int ranks) {
  hakaru::schedule::Schedule schedule;
  schedule.ranks = ranks;
  schedule.program = "remote_program";
  schedule.phases = {
      {"exchange", "communicate"}, {"repetition", "compute"}, {"wait for others", "idle"}};
  for (int rank = 0; rank < ranks; ++rank) {
    StreamWriter writer(schedule, rank);
    write(writer, schedule);
    writer.finish();
  }
  hakaru::schedule::validate(schedule);
  hakaru::schedule::write_json(schedule, std::cout);
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count == 3 && std::string(arguments[1]) == "schedule") {
    print_schedule(std::atoi(arguments[2]));
    return 0;
  }
  hakaru::parallel::Environment environment(argument_count, arguments, MPI_THREAD_FUNNELED);
  run();
}
