#include "native/parallel/shared_file.hpp"

#include <unistd.h>

#include <filesystem>
#include <numeric>
#include <vector>

#include "native/base/atomic_file.hpp"
#include "native/base/require.hpp"
#include "native/parallel/test_main.hpp"

namespace hakaru::parallel {
namespace {

// A folder of this test that all ranks know.
class SharedFileTest : public ::testing::Test {
 protected:
  SharedFileTest() : world(Communicator::world()) {
    std::vector<int> number{static_cast<int>(::getpid())};
    world.broadcast(number, 0);
    folder = std::filesystem::temp_directory_path() / ("hakaru-file-" + std::to_string(number[0]));
    std::filesystem::create_directories(folder);
    world.barrier();
  }
  ~SharedFileTest() override {
    world.barrier();
    if (world.rank() == 0) std::filesystem::remove_all(folder);
  }

  Communicator world;
  std::filesystem::path folder;
};

TEST_F(SharedFileTest, HoldsWhatEveryRankWroteAndNothingOlder) {
  const std::string path = folder / "numbers";
  if (world.rank() == 0) base::write_file_atomically(path, std::string(10'000, 'x'));
  world.barrier();
  std::vector<int> own(100);
  std::iota(own.begin(), own.end(), 100 * world.rank());
  SharedFile written(world, path, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  written.clear();
  written.write(400 * static_cast<std::size_t>(world.rank()), own.data(), 400);
  written.sync();
  written.close();
  EXPECT_TRUE(written.good());
  EXPECT_EQ(std::filesystem::file_size(path), 400u * static_cast<std::size_t>(world.size()));
  std::vector<int> all(100 * static_cast<std::size_t>(world.size()));
  SharedFile read(world, path, MPI_MODE_RDONLY);
  read.read(0, all.data(), 4 * all.size());
  read.close();
  EXPECT_TRUE(read.good());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<int>(i));
}

TEST_F(SharedFileTest, RemembersThatItCouldNotBeOpened) {
  const SharedFile none(world, folder / "none" / "file", MPI_MODE_CREATE | MPI_MODE_WRONLY);
  EXPECT_FALSE(none.is_open());
  EXPECT_FALSE(none.good());
}

TEST_F(SharedFileTest, RemembersThatItMayNotBeWritten) {
  const std::string path = folder / "old";
  if (world.rank() == 0) base::write_file_atomically(path, "old");
  world.barrier();
  SharedFile file(world, path, MPI_MODE_RDONLY);
  file.write(0, "new", 3);
  EXPECT_FALSE(file.good());
}

TEST_F(SharedFileTest, IsWrittenWholeOrStaysAsItWas) {
  const std::string path = folder / "whole";
  const auto number = [&](SharedFile& file) {
    const int own = world.rank();
    file.write(4 * static_cast<std::size_t>(own), &own, 4);
  };
  write_whole(world, path, number);
  EXPECT_EQ(std::filesystem::file_size(path), 4u * static_cast<std::size_t>(world.size()));
  const auto damaged = [&](SharedFile& file) {
    number(file);
    int none = 0;  // of a file that may only be written
    if (world.rank() == world.size() - 1) file.read(0, &none, 4);
  };
  const std::string before = base::read_file(path);
  EXPECT_THROW(write_whole(world, path, damaged), base::UserError);
  EXPECT_EQ(base::read_file(path), before);
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST_F(SharedFileTest, LeavesNothingWhereOnlySomeCanOpenIt) {
  const bool last = world.rank() == world.size() - 1;
  const std::string path = last ? folder / "none" / "file" : folder / std::to_string(world.rank());
  const Communicator alone = Communicator::borrow(MPI_COMM_SELF);
  EXPECT_THROW(write_whole(world, alone, path, [](SharedFile&) { ADD_FAILURE(); }),
               base::UserError);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(SharedFileTest, IsPutInPlaceOrSaysWhyNot) {
  if (world.rank() != 0) return;
  base::write_file_atomically(folder / "part", "whole");
  EXPECT_EQ(base::put_in_place(folder / "part", folder / "file"), "");
  EXPECT_EQ(base::read_file(folder / "file"), "whole");
  EXPECT_NE(base::put_in_place(folder / "missing", folder / "file"), "");
}

}  // namespace
}  // namespace hakaru::parallel

HAKARU_MPI_TEST_MAIN()
