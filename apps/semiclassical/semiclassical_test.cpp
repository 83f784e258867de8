#include <gtest/gtest.h>

namespace {
TEST(Placeholder, Builds) {}
}  // namespace
