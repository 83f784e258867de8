#include <gtest/gtest.h>

#include "native/base/require.hpp"
#include "native/trace/reader/test_archive.hpp"
#include "native/trace/reader/test_operations.hpp"
#include "native/trace/reader/trace.hpp"

namespace hakaru::trace {
namespace {

using Texts = std::vector<std::string>;
constexpr std::uint32_t none = OTF2_UNDEFINED_UINT32;

TEST(BetweenGroups, CollectivesAreThoseOfTheGroupsAndMessagesOfTheirLeaders) {
  TestArchive a(3);
  const OTF2_CommRef across = a.intercommunicator({0}, {1, 2});
  const auto broadcast = [&](std::uint32_t rank, std::uint32_t root, std::uint64_t sent,
                             std::uint64_t received) {
    a.collective(rank, "MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, across, root, sent, received, 0, 0);
  };
  const auto gather = [&](std::uint32_t rank, std::uint32_t root, std::uint64_t sent,
                          std::uint64_t received) {
    a.collective(rank, "MPI_Gather", OTF2_COLLECTIVE_OP_GATHER, across, root, sent, received, 0, 0);
  };
  broadcast(0, OTF2_COLLECTIVE_ROOT_SELF, 100, 0);
  broadcast(1, 0, 0, 100);
  broadcast(2, 0, 0, 100);
  gather(0, OTF2_COLLECTIVE_ROOT_SELF, 0, 60);
  gather(1, 0, 30, 0);
  gather(2, 0, 30, 0);
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    a.collective(rank, "MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, across, none, 72, 72, 0, 0);
  broadcast(0, 0, 0, 8);
  broadcast(1, OTF2_COLLECTIVE_ROOT_SELF, 8, 0);
  broadcast(2, OTF2_COLLECTIVE_ROOT_THIS_GROUP, 0, 0);
  const Trace trace = read_trace(a.close());
  EXPECT_EQ(texts(trace, 0),
            (Texts{"send 1 tag 0", "receive 1 tag 0", "reduce", "ireceive 1 tag 0 r0",
                   "send 1 tag 0", "wait r0", "broadcast", "receive 1 tag 0", "broadcast"}));
  EXPECT_EQ(texts(trace, 1),
            (Texts{"receive 0 tag 0", "broadcast", "gather", "send 0 tag 0", "reduce",
                   "ireceive 0 tag 0 r0", "send 0 tag 0", "wait r0", "broadcast", "send 0 tag 0"}));
  EXPECT_EQ(texts(trace, 2), (Texts{"broadcast", "gather", "reduce", "broadcast"}));
  EXPECT_EQ(trace.schedule.streams[1].at(3).bytes, 60u);
}

TEST(BetweenGroups, CollectivesThatDoNotBlockAreCountedAndRefused) {
  TestArchive a(2);
  const OTF2_CommRef across = a.intercommunicator({0}, {1});
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    a.call(rank, "MPI_Iallreduce", [&](OTF2_EvtWriter* w) {
      OTF2_EvtWriter_NonBlockingCollectiveRequest(w, nullptr, a.at(rank), 4);
    });
    a.call(rank, "MPI_Wait", [&](OTF2_EvtWriter* w) {
      OTF2_EvtWriter_NonBlockingCollectiveComplete(
          w, nullptr, a.at(rank), OTF2_COLLECTIVE_OP_ALLREDUCE, across, none, 8, 8, 4);
    });
  }
  const std::string anchor = a.close();
  EXPECT_TRUE(read_trace(anchor).complete);
  try {
    read_otf2(anchor);
    ADD_FAILURE() << "a schedule without its collectives";
  } catch (const base::UserError& error) {
    EXPECT_NE(std::string(error.what()).find("2 collectives with another group"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace hakaru::trace
