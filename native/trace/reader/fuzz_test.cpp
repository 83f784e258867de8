// Archives with flipped bytes and cut files: each is read to a sound schedule or refused with a
// reason, and nothing crashes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "native/base/require.hpp"
#include "native/trace/reader/checksums.hpp"
#include "native/trace/reader/test_archive.hpp"
#include "native/trace/reader/trace.hpp"

namespace hakaru::trace {
namespace {

namespace fs = std::filesystem;
using schedule::Kind;

std::string sample(TestArchive& a, bool windows = true) {
  const OTF2_CommRef pair = a.communicator({0, 2}), other = a.communicator({1, 3});
  const OTF2_RmaWinRef window = windows ? a.window(TestArchive::world) : 0;
  a.region("solve", OTF2_PARADIGM_USER);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    a.enter(rank, "solve");
    for (std::uint64_t step = 0; step < 5; ++step) {
      const std::uint32_t left = (rank + 3) % 4, right = (rank + 1) % 4;
      a.call(rank, "MPI_Irecv", [&](OTF2_EvtWriter* w) {
        OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, a.at(rank), 2 * step);
      });
      a.call(rank, "MPI_Isend", [&](OTF2_EvtWriter* w) {
        OTF2_EvtWriter_MpiIsend(w, nullptr, a.at(rank), right, 0, 7, 8192, 2 * step + 1);
      });
      a.call(rank, "MPI_Waitall", [&](OTF2_EvtWriter* w) {
        OTF2_EvtWriter_MpiIrecv(w, nullptr, a.at(rank), left, 0, 7, 8192, 2 * step);
        OTF2_EvtWriter_MpiIsendComplete(w, nullptr, a.at(rank), 2 * step + 1);
      });
      if (windows) {
        a.call(rank, "MPI_Put", [&](OTF2_EvtWriter* w) {
          OTF2_EvtWriter_RmaPut(w, nullptr, a.at(rank), window, right, 80, step);
        });
      }
      a.collective(rank, "MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, rank % 2 ? other : pair,
                   OTF2_UNDEFINED_UINT32, 16, 16);
    }
    a.leave(rank, "solve");
  }
  return a.close();
}

// Threads of rank 0 that call MPI at once and in turns.
std::string sample_of_threads(TestArchive& a) {
  const std::uint32_t other = a.thread(0);
  for (std::uint32_t step = 0; step < 10; ++step) {
    for (const std::uint32_t location : {0u, other}) {
      a.call(
          location, "MPI_Irecv",
          [&](OTF2_EvtWriter* w) {
            OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, a.at(location), 2 * step + location);
          },
          step % 2 == 0 || location == 0 ? 10'000 : 20'000, 100);
      a.call(location, "MPI_Test", [](OTF2_EvtWriter*) {});
      a.call(
          location, "MPI_Wait",
          [&](OTF2_EvtWriter* w) {
            OTF2_EvtWriter_MpiIrecv(w, nullptr, a.at(location), 1, 0, location, 8,
                                    2 * step + location);
          },
          100, 1000);
    }
  }
  return a.close();
}

// Everything an engine may index is within bounds.
void expect_sound(const Trace& trace) {
  schedule::validate(trace.schedule);
  const schedule::Schedule& s = trace.schedule;
  ASSERT_GE(s.streams.size(), static_cast<std::size_t>(s.ranks));
  const bool threads = s.streams.size() > static_cast<std::size_t>(s.ranks);
  for (const schedule::Stream& stream : s.streams) {
    for (const schedule::Operation& o : stream) {
      ASSERT_LT(o.communicator, s.communicators.size());
      ASSERT_LT(o.peer, s.ranks);
      ASSERT_GE(o.peer, -1);
      ASSERT_LT(o.payload, static_cast<std::int32_t>(o.kind == Kind::fork ? s.streams.size()
                                                                          : s.lists.size()));
      ASSERT_LE(o.request, static_cast<std::int32_t>(threads ? 1000 : stream.size()));
      ASSERT_TRUE(o.phase == schedule::no_phase || o.phase < s.phases.size());
      if (o.kind == Kind::compute) {
        ASSERT_GE(o.seconds, 0);
      }
      if (o.kind == Kind::send || o.kind == Kind::ireceive || o.kind == Kind::isend) {
        ASSERT_LE(o.bytes, 1ull << 50);
      }
    }
  }
}

struct Outcome {
  int read = 0, refused = 0, crashed = 0;
};

void try_to_read(const std::string& anchor, Outcome& outcome, std::size_t processes = 1) {
  try {
    expect_sound(read_trace(anchor, {.times = true, .processes = processes}));
    ++outcome.read;
  } catch (const base::UserError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(" ("), std::string::npos) << text;
    EXPECT_EQ(text.find("Sanitizer"), std::string::npos) << text;
    ++outcome.refused;
    if (text.find("was ended by") != std::string::npos) ++outcome.crashed;
  }
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.file_size() > 0) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void overwrite(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void flip_and_cut(TestArchive& a, const std::string& anchor, int times, std::size_t processes = 1) {
  const std::vector<fs::path> files = files_of(a.folder());
  std::mt19937_64 random(20260101);
  Outcome outcome;
  for (int i = 0; i < times; ++i) {
    const fs::path& path = files[random() % files.size()];
    const std::string whole = content_of(path);
    std::string damaged = whole;
    if (i % 4 == 0) {
      damaged.resize(random() % whole.size());
    } else {
      // Bytes of a chunk's unused end say nothing: most damage goes to the used part.
      const std::size_t used = whole.find_last_not_of('\0') + 1;
      for (std::uint64_t flips = 1 + random() % 3; flips > 0; --flips)
        damaged[random() % used] ^= static_cast<char>(1u << random() % 8);
    }
    overwrite(path, damaged);
    try_to_read(anchor, outcome, processes);
    overwrite(path, whole);
    if (testing::Test::HasFatalFailure()) FAIL() << path << " in case " << i;
  }
  fmt::print("{} read, {} refused, of those {} ended inside the OTF2 library\n", outcome.read,
             outcome.refused, outcome.crashed);
  EXPECT_GT(outcome.refused, times / 6);
  Outcome after;
  try_to_read(anchor, after);
  EXPECT_EQ(after.read, 1);
}

TEST(Fuzz, FlippedBytesAndCutFiles) {
  TestArchive a(4);
  const std::string anchor = sample(a);
  flip_and_cut(a, anchor, 300);
}

TEST(Fuzz, FlippedBytesAndCutFilesReadInParts) {
  TestArchive a(4);
  const std::string anchor = sample(a, false);
  flip_and_cut(a, anchor, 200, 3);
}

TEST(Fuzz, FlippedBytesAndCutFilesOfThreads) {
  TestArchive a(2);
  const std::string anchor = sample_of_threads(a);
  EXPECT_GT(read_trace(anchor).ranks[0].threads, 0u);
  flip_and_cut(a, anchor, 100);
}

TEST(Fuzz, WithChecksumsNoDamageIsRead) {
  TestArchive a(4);
  const std::string anchor = sample(a);
  write_checksums(a.folder().string());
  const std::vector<fs::path> files = files_of(a.folder());
  std::mt19937_64 random(7);
  Outcome outcome;
  for (int i = 0; i < 100; ++i) {
    const fs::path& path = files[random() % files.size()];
    const std::string whole = content_of(path);
    std::string damaged = whole;
    damaged[random() % whole.size()] ^= static_cast<char>(1u << random() % 8);
    overwrite(path, damaged);
    try_to_read(anchor, outcome);
    overwrite(path, whole);
  }
  EXPECT_EQ(outcome.read, 0);
}

}  // namespace
}  // namespace hakaru::trace
