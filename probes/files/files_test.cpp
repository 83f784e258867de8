#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "probes/files/pattern.hpp"
#include "probes/files/place.hpp"
#include "probes/files/ways.hpp"

namespace hakaru::probes::files {
namespace {

TEST(Pattern, CoversTheFileOnce) {
  for (int blocks : {1, 4, 16}) {
    const Pattern pattern{3, blocks, 64};
    std::set<std::size_t> places;
    for (int rank = 0; rank < 3; ++rank)
      for (int block = 0; block < blocks; ++block)
        EXPECT_TRUE(places.insert(pattern.offset(rank, block)).second);
    EXPECT_EQ(*places.rbegin() + 64, pattern.file_bytes());
    EXPECT_EQ(places.size() * 64, pattern.file_bytes());
  }
}

TEST(Contents, DifferBySeedAndByPlace) {
  const Bytes one = contents_at(0, 4096, 1);
  EXPECT_EQ(differing(one, contents_at(0, 4096, 1)), 0u);
  EXPECT_GT(differing(one, contents_at(0, 4096, 2)), 4000u);
  EXPECT_GT(differing(one, contents_at(8, 4096, 1)), 4000u);
  EXPECT_EQ(differing(one, contents_at(0, 4000, 1)), 96u);
}

TEST(Master, PutsBlocksInTheOrderOfTheFileAndBack) {
  const Pattern pattern{3, 4, 16};
  Bytes gathered;
  for (int rank = 0; rank < 3; ++rank) {
    const Bytes own = contents_of(pattern, rank, 5);
    gathered.insert(gathered.end(), own.begin(), own.end());
  }
  const Bytes file = in_order_of_file(pattern, gathered);
  EXPECT_EQ(differing(file, contents_at(0, pattern.file_bytes(), 5)), 0u);
  EXPECT_EQ(differing(in_order_of_ranks(pattern, file), gathered), 0u);
}

class OneFile : public ::testing::Test {
 protected:
  OneFile() : path_(::testing::TempDir() + "/files_test-" + std::to_string(::getpid())) {
    const Bytes bytes = contents_at(0, 1 << 20, 3);
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  ~OneFile() override { std::filesystem::remove(path_); }
  std::string path_;
};

TEST_F(OneFile, IsReadBackByteByByte) {
  EXPECT_EQ(differing(read_back(path_, 100, 1000), contents_at(100, 1000, 3)), 0u);
  EXPECT_EQ(read_back(path_, (1 << 20) - 10, 100).size(), 10u);
  EXPECT_THROW(read_back(path_ + "-not", 0, 1), Unavailable);
}

TEST_F(OneFile, IsForgottenByThePageCacheWhereADiskIsBehindIt) {
  read_back(path_, 0, 1 << 20);
  EXPECT_EQ(resident_share(path_), 1.0);
  const double share = forget(path_);
  if (file_system_of(::testing::TempDir()).reach == "memory")
    EXPECT_EQ(share, 1.0);
  else
    EXPECT_LT(share, 1.0);
  EXPECT_EQ(differing(read_back(path_, 0, 1 << 20), contents_at(0, 1 << 20, 3)), 0u);
}

TEST(FileSystem, IsNamedAndMemoryIsNoDisk) {
  EXPECT_THROW(file_system_of("/nowhere/at/all"), Unavailable);
  if (std::filesystem::is_directory("/dev/shm")) {
    const FileSystem found = file_system_of("/dev/shm");
    if (found.name == "tmpfs") {
      EXPECT_EQ(found.reach, "memory");
    }
    EXPECT_GE(found.free_bytes, 0.0);
  }
}

TEST(Ways, HaveFilesOfTheirOwnOrOne) {
  EXPECT_EQ(path_of(Way::split, "x", 3), "x.3");
  EXPECT_EQ(path_of(Way::collective, "x", 3), "x");
  std::set<std::string> names;
  for (Way way : all_ways) EXPECT_TRUE(names.insert(name_of(way)).second);
  EXPECT_EQ(all_hints().front().name(), "none");
}

}  // namespace
}  // namespace hakaru::probes::files
