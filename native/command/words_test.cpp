#include "native/command/words.hpp"

#include <gtest/gtest.h>

#include "native/base/require.hpp"

namespace hakaru::command {
namespace {

using Words = std::vector<std::string>;

struct Read {
  std::string file;
  int number = 1;
  bool flag = false;
};

bool read(const Words& words, Read& into) {
  CLI::App app("an example", "example");
  app.add_option("file", into.file, "a file")->required();
  app.add_option("--number", into.number, "a number")->check(CLI::Range(0, 9));
  app.add_flag("--flag", into.flag, "a flag");
  return read_words(app, words);
}

TEST(Words, AreReadInAnyOrder) {
  for (const Words& words :
       {Words{"a", "--number", "3", "--flag"}, {"--flag", "--number=3", "a"}}) {
    Read got;
    EXPECT_TRUE(read(words, got));
    EXPECT_EQ(got.file, "a");
    EXPECT_EQ(got.number, 3);
    EXPECT_TRUE(got.flag);
  }
}

TEST(Words, MistakesAreOneLineInHakarusForm) {
  for (const Words& words : {Words{},
                             {"a", "b"},
                             {"a", "--colour"},
                             {"a", "--number"},
                             {"a", "--number", "10"},
                             {"a", "--number", "1x"}}) {
    Read got;
    try {
      read(words, got);
      FAIL() << testing::PrintToString(words);
    } catch (const base::UserError& error) {
      const std::string told = error.what();
      EXPECT_EQ(error.code(), base::ExitCode::usage);
      EXPECT_TRUE(told.starts_with("the command line is not understood (")) << told;
      EXPECT_TRUE(told.ends_with("); see example --help")) << told;
      EXPECT_EQ(told.find('\n'), std::string::npos) << told;
    }
  }
}

TEST(Words, HelpEndsWithoutAnError) {
  for (const char* word : {"--help", "-h", "help"}) {
    Read got;
    EXPECT_FALSE(read({word}, got)) << word;
  }
}

TEST(Reported, SaysTheProgramAndKeepsTheCode) {
  std::FILE* told = std::tmpfile();
  EXPECT_EQ(reported("example", told, [] { return 0; }), 0);
  EXPECT_EQ(reported("example", told,
                     []() -> int { throw base::UserError(base::ExitCode::usage, "no (why); do"); }),
            2);
  EXPECT_EQ(reported("example", told, []() -> int { throw std::runtime_error("odd"); }), 4);
  std::rewind(told);
  char text[200] = {};
  std::fread(text, 1, sizeof text - 1, told);
  std::fclose(told);
  EXPECT_STREQ(text, "example: no (why); do\nexample: odd; please report this\n");
}

}  // namespace
}  // namespace hakaru::command
