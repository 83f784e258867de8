// Arrays of HDF5 and PnetCDF: their bytes are where the library says, and a spoilt one is seen.
#include "probes/files/array_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "native/parallel/test_main.hpp"
#include "probes/files/ways.hpp"

namespace hakaru::probes::files {
namespace {

using parallel::Communicator;

constexpr unsigned seed = 5;

class Arrays : public ::testing::TestWithParam<Way> {
 protected:
  Arrays() : ranks_(Communicator::world()) {}

  void SetUp() override {
    if (const std::string why = left_out(GetParam()); !why.empty()) GTEST_SKIP() << why;
    folder_ = std::make_unique<SharedFolder>(ranks_, std::filesystem::temp_directory_path());
    stem_ = folder_->path("array");
  }

  Pattern pattern(int blocks) const { return {ranks_.size(), blocks, 4096}; }
  Bytes written(int blocks) {
    Bytes data = contents_of(pattern(blocks), ranks_.rank(), seed);
    write(ranks_, GetParam(), pattern(blocks), stem_, data);
    return data;
  }
  std::size_t wrong(int blocks) {
    return wrong_bytes(ranks_, GetParam(), pattern(blocks), stem_, seed);
  }
  // Turns a bit of a byte of the array.
  void spoil(std::size_t place) {
    const std::size_t at = library_of(GetParam())->begin(ranks_, stem_) + place;
    if (ranks_.rank() == 0) {
      std::fstream file(stem_, std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(byte_at(place, seed) ^ 1));
    }
    ranks_.barrier();
  }

  Communicator ranks_;
  std::unique_ptr<SharedFolder> folder_;
  std::string stem_;
};

TEST_P(Arrays, HoldEveryByteAtItsPlace) {
  for (int blocks : {1, 4, 16, 256}) {
    const Bytes data = written(blocks);
    EXPECT_EQ(wrong(blocks), 0u) << blocks << " blocks";
    Bytes found(data.size());
    read(ranks_, GetParam(), pattern(blocks), stem_, found);
    EXPECT_EQ(differing(found, data), 0u) << blocks << " blocks";
  }
}

TEST_P(Arrays, ShowASpoiltByteInTheFileAndToTheLibrary) {
  const Bytes data = written(4);
  const std::size_t place = pattern(4).offset(0, 2) + 17;  // of rank 0
  spoil(place);
  EXPECT_EQ(wrong(4), 1u);
  Bytes found(data.size());
  read(ranks_, GetParam(), pattern(4), stem_, found);
  EXPECT_EQ(differing(found, data), ranks_.rank() == 0 ? 1u : 0u);
}

TEST_P(Arrays, TellWhatCannotBeMadeOrOpened) {
  const Pattern wanted = pattern(1);
  Bytes data = contents_of(wanted, ranks_.rank(), seed);
  const std::string nowhere = folder_->path("no/such/folder");
  EXPECT_THROW(write(ranks_, GetParam(), wanted, nowhere, data), Unavailable);
  EXPECT_THROW(read(ranks_, GetParam(), wanted, nowhere, data), Unavailable);
  EXPECT_THROW(wrong_bytes(ranks_, GetParam(), wanted, nowhere, seed), Unavailable);
}

INSTANTIATE_TEST_SUITE_P(Libraries, Arrays,
                         ::testing::Values(Way::hdf5_independent, Way::hdf5_collective,
                                           Way::pnetcdf_independent, Way::pnetcdf_collective));

TEST(Absent, LibrariesAreToldByWhatBringsThem) {
  const ArrayFile absent("no library");
  const Communicator world = Communicator::world();
  Bytes none;
  EXPECT_EQ(absent.absent(), "no library");
  EXPECT_THROW(absent.read(world, true, {}, "", none), Unavailable);
  EXPECT_THROW(absent.write(world, true, {}, "", none), Unavailable);
  EXPECT_THROW(absent.begin(world, ""), Unavailable);
}

}  // namespace
}  // namespace hakaru::probes::files

HAKARU_MPI_TEST_MAIN()
