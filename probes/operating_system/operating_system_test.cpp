#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "native/base/require.hpp"
#include "probes/operating_system/arithmetic.hpp"
#include "probes/operating_system/loops.hpp"
#include "probes/operating_system/sockets.hpp"
#include "probes/operating_system/system_handles.hpp"

namespace hakaru::probes::operating_system {
namespace {

Conditions short_ones() {
  Conditions conditions;
  conditions.sampling = {2, 1e-5};
  conditions.folder = ::testing::TempDir();
  conditions.file_bytes = conditions.memory_bytes = 1 << 20;
  conditions.stream_bytes = 1 << 16;
  return conditions;
}

TEST(Sampling, RepeatsUntilASampleIsLongEnough) {
  std::int64_t done = 0;
  const Operations spin = [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) keep(i);
    done += count;
  };
  EXPECT_GE(operations_of(spin, 1e-5), 1);
  EXPECT_EQ(seconds_of_one({7, 1e-5}, spin).size(), 7u);
  for (double seconds : seconds_without({5, 1e-5}, spin, spin)) EXPECT_GE(seconds, 0.0);
  EXPECT_GE(done, 18);
}

TEST(Truth, CountsWhatIsWrongAndADamagedOneFails) {
  Truth truth;
  truth.equal("two", 2, 2);
  EXPECT_EQ(truth.wrong(), 0);
  truth.equal("two", 2, 3);
  EXPECT_EQ(truth.wrong(), 1);
  EXPECT_EQ(truth.first_wrong(), "two: 2 instead of 3");
  Truth damaged(true);
  damaged.equal("two", 2, 2);
  EXPECT_EQ(damaged.wrong(), 1);
}

TEST(Items, AreChosenByGroupOrByName) {
  const Items all = all_items(short_ones());
  std::set<std::string> seen;
  for (const Item& item : all) EXPECT_TRUE(seen.insert(item.group + item.name).second) << item.name;
  EXPECT_EQ(chosen(all, "").size(), all.size());
  EXPECT_EQ(chosen(all, "context-switch").size(), 35u);
  EXPECT_EQ(chosen(all, "null call,Prot Fault").size(), 2u);
  EXPECT_THROW(chosen(all, "nothing"), base::UserError);
}

TEST(Items, EveryOneOfDamagedTruthFails) {
  const Conditions conditions = short_ones();
  for (const Item& item : all_items(conditions)) {
    if (item.group == "context-switch" && item.name != "2p/16K ctxsw") continue;
    Truth truth(true);
    try {
      item.measure(conditions, truth);
    } catch (const Unavailable&) {
      continue;  // the spawner lies elsewhere; a portmapper is seldom there
    }
    EXPECT_GT(truth.wrong(), 0) << item.name;
  }
}

TEST(Items, ChainsThatCameBackToTheirStartHaveMoved) {
  Conditions conditions = short_ones();
  conditions.memory_bytes = 1024 * 64;  // an operation's loads go around exactly once
  Truth truth;
  for (const Item& item : chosen(all_items(conditions), "memory-parallelism"))
    EXPECT_FALSE(item.measure(conditions, truth).empty()) << item.name;
  EXPECT_EQ(truth.wrong(), 0) << truth.first_wrong();
}

TEST(Items, AFolderThatIsNotThereCostsItsItemsOnly) {
  Conditions conditions = short_ones();
  conditions.folder = "/nowhere";
  Truth truth;
  int refused = 0, measured = 0;
  for (const Item& item : all_items(conditions)) {
    if (item.group != "file-vm" && item.name != "null call") continue;
    try {
      measured += !item.measure(conditions, truth).empty();
    } catch (const Unavailable& why) {
      EXPECT_NE(std::string(why.what()).find("/nowhere"), std::string::npos) << why.what();
      ++refused;
    }
  }
  EXPECT_EQ(measured, 1);
  EXPECT_EQ(refused, 12);
}

TEST(Child, DiesWithItsObject) {
  Channel pipe = pipe_channel();
  {
    const Child child(short_ones(), 1, [&] { write_all(pipe.write.number(), "x", 1), ::pause(); });
    char byte = 0;
    read_all(pipe.read.number(), &byte, 1);
    EXPECT_EQ(byte, 'x');
    pipe.write.close();
  }
  char byte = 0;
  EXPECT_THROW(read_all(pipe.read.number(), &byte, 1), Unavailable);  // nobody holds the other end
}

TEST(Folder, IsRemovedWithWhatIsInIt) {
  std::string file;
  {
    const Folder folder(::testing::TempDir());
    file = folder.path("file");
    write_file(file, 80);
    EXPECT_EQ(std::filesystem::file_size(file), 80u);
  }
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Words, SumsAreThoseOfTheFile) {
  std::vector<std::uint64_t> words;
  for (int i = 0; i < 1000; ++i) words.push_back(word_at(i));
  EXPECT_EQ(sum_words(words.data(), words.size()), sum_of_words(8000));
  EXPECT_NE(sum_of_words(8000), sum_of_words(7992));
}

TEST(Loops, GoThroughWhatTheySay) {
  std::vector<std::uint32_t> from(1001), to(1001, 0);
  for (std::uint32_t i = 0; i < from.size(); ++i) from[i] = i;
  EXPECT_EQ(read_words(from.data(), from.size()), 500500u);
  EXPECT_EQ(read_partly(from.data(), from.size()), 4u * 250 * 251 / 2);
  copy_partly(to.data(), from.data(), to.size());
  EXPECT_EQ(to[4], 4u);
  EXPECT_EQ(to[5], 0u);
  copy_words(to.data(), from.data(), to.size());
  EXPECT_EQ(to, from);
  EXPECT_EQ(read_write_partly(to.data(), to.size(), 7), 4u * 250 * 251 / 2);
  EXPECT_EQ(to[4], 7u);
  write_partly(to.data(), to.size(), 8);
  EXPECT_EQ(to[8], 8u);
  EXPECT_EQ(to[9], 9u);
  write_words(to.data(), to.size(), 9);
  EXPECT_EQ(to[1000], 9u);
}

TEST(After, IsWhatAllTheStepsWouldMake) {
  const auto step = [](std::uint32_t& x) { x = (x * x + 1) % 23; };
  for (std::int64_t steps : {0, 1, 2, 5, 17, 1000}) {
    std::uint32_t one = 3;
    for (std::int64_t i = 0; i < steps; ++i) step(one);
    EXPECT_EQ(after(std::uint32_t{3}, steps, step), one) << steps;
  }
}

}  // namespace
}  // namespace hakaru::probes::operating_system
