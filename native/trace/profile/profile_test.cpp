// Samples as the watcher writes them, whole and damaged; names of routines.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "native/base/require.hpp"
#include "native/trace/profile/names.hpp"
#include "native/trace/profile/output.hpp"
#include "native/trace/profile/samples.hpp"

namespace {

using namespace hakaru::trace::profile;

// Words with the head's length and check filled in.
std::string record(std::uint32_t kind, std::string data) {
  data.resize((data.size() + 7) / 8 * 8);
  const std::uint32_t head = kind | static_cast<std::uint32_t>(data.size() / 8 << 8);
  std::memcpy(data.data(), &head, 4);
  std::memset(data.data() + 4, 0, 4);
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (std::size_t at = 0; at < data.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, data.data() + at, 8);
    hash = (hash ^ word) * 1099511628211u;
  }
  const auto check = static_cast<std::uint32_t>(hash >> 32);
  std::memcpy(data.data() + 4, &check, 4);
  return data;
}

template <class Record>
std::string bytes_of(const Record& one) {
  return {reinterpret_cast<const char*>(&one), sizeof one};
}

std::string header() {
  hakaru_watch_header h{};
  std::memcpy(h.magic, HAKARU_WATCH_SAMPLES, 8);
  h.version = HAKARU_WATCH_VERSION;
  h.endian = HAKARU_WATCH_ENDIAN;
  h.header_bytes = sizeof h;
  h.rank = 3;
  h.period_ns = 10000000;
  return bytes_of(h);
}

std::string module(std::uint64_t begin, std::uint64_t end, const std::string& path) {
  hakaru_watch_module m{};
  m.begin = begin;
  m.end = end;
  m.bias = begin;
  m.path_length = static_cast<std::uint32_t>(path.size());
  return record(HAKARU_WATCH_MODULE, bytes_of(m) + path + '\0');
}

std::string chain(std::uint32_t number, const std::vector<std::uint64_t>& callers) {
  hakaru_watch_chain c{};
  c.number = number;
  std::string data = bytes_of(c);
  for (const std::uint64_t caller : callers) data += bytes_of(caller);
  return record(HAKARU_WATCH_CHAIN, data);
}

std::string sample(std::uint64_t address, std::uint32_t chain, std::uint32_t weight = 1) {
  hakaru_watch_sample s{};
  s.time_ns = 5;
  s.address = address;
  s.chain = chain;
  s.weight = weight;
  return record(HAKARU_WATCH_SAMPLE, bytes_of(s));
}

std::string end() { return record(HAKARU_WATCH_END, bytes_of(hakaru_watch_end{})); }

class Samples : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            (std::string("hakaru-") + test->name() + "-" + std::to_string(getpid()) + ".hks");
  }
  void TearDown() override { std::filesystem::remove(path_); }

  Process read(const std::string& data) {
    std::ofstream(path_, std::ios::binary) << data;
    return read_samples(path_);
  }

  std::filesystem::path path_;
};

const std::string two = chain(1, {0x2010}) + sample(0x1010, 1) + sample(0x1010, 1, 3);

TEST_F(Samples, AreCountedByPlaceAndChain) {
  const Process found = read(header() + module(0x1000, 0x3000, "/none") + two + end());
  EXPECT_EQ(found.rank, 3);
  EXPECT_TRUE(found.ended);
  EXPECT_EQ(found.damage, "");
  ASSERT_EQ(found.stacks.size(), 1u);
  EXPECT_EQ(found.stacks.begin()->second.samples, 2u);
  EXPECT_EQ(found.stacks.begin()->second.periods, 4u);
}

TEST_F(Samples, BelongToWhatLayThereThen) {
  const Process found =
      read(header() + module(0x1000, 0x3000, "/first") + two + module(0x1000, 0x3000, "/second") +
           chain(2, {}) + sample(0x1010, 2) + end());
  ASSERT_EQ(found.stacks.size(), 2u);
  EXPECT_EQ(found.stacks.begin()->first.place.module, 0);
  EXPECT_EQ(found.stacks.rbegin()->first.place.module, 1);
}

TEST_F(Samples, EveryChangedByteIsSeen) {
  const std::string good = header() + module(0x1000, 0x3000, "/none") + two + end();
  for (std::size_t at = sizeof(hakaru_watch_header); at < good.size(); at++) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    EXPECT_NE(read(bad).damage, "") << "byte " << at;
  }
}

TEST_F(Samples, EveryCutIsSeen) {
  const std::string good = header() + module(0x1000, 0x3000, "/none") + two + end();
  for (std::size_t bytes = sizeof(hakaru_watch_header); bytes < good.size(); bytes++) {
    const Process found = read(good.substr(0, bytes));
    EXPECT_FALSE(found.ended && found.damage.empty()) << bytes << " bytes";
  }
  EXPECT_THROW(read(good.substr(0, 1000)), hakaru::base::UserError);
  EXPECT_THROW(read("X" + good.substr(1)), hakaru::base::UserError);
}

TEST_F(Samples, ReferencesMustBeThere) {
  EXPECT_NE(read(header() + sample(0x1010, 1) + end()).damage, "");
}

TEST_F(Samples, LendNoNamesFromFilesThatAreGone) {
  const Process found = read(header() + module(0x1000, 0x3000, "/none") + two + end());
  const auto told = nlohmann::json::parse(as_json({found}, {}));
  EXPECT_EQ(told["modules"][0]["state"], "missing");
  const auto& stack = told["processes"][0]["stacks"][0];
  EXPECT_EQ(stack["samples"], 2);
  const auto& innermost = told["frames"][stack["frames"][0].get<std::size_t>()];
  EXPECT_EQ(innermost["routine"], "");
  EXPECT_EQ(innermost["address"], "0x10");
}

TEST(Names, AreThoseOfTheSource) {
  EXPECT_EQ(readable("__grid_MOD_smooth"), "grid::smooth");
  EXPECT_EQ(readable("_ZN4grid6smoothIlEEvT_"), "void grid::smooth<long>(long)");
  EXPECT_EQ(readable("solve"), "solve");
  EXPECT_EQ(readable("_Zno"), "_Zno");
}

}  // namespace
