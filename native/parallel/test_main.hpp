// main() of a GoogleTest program that runs under an MPI launcher: a failure on any rank fails all.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include "native/parallel/environment.hpp"

#define HAKARU_MPI_TEST_MAIN()                                                                 \
  int main(int argument_count, char** arguments) {                                             \
    hakaru::parallel::Environment environment(argument_count, arguments, MPI_THREAD_FUNNELED); \
    ::testing::InitGoogleTest(&argument_count, arguments);                                     \
    int failed = RUN_ALL_TESTS(), any_failed = 0;                                              \
    MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);                  \
    return any_failed;                                                                         \
  }
