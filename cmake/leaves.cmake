# Apps and probes: each folder has a CMakeLists.txt of one or a few lines
#
#   hakaru_leaf(himeno SOURCES app.cpp kernels.cpp TESTS himeno_test.cpp LIBRARIES FFTW::double [NO_MPI] [TOGETHER])
#
# makes the library hakaru_<name>_leaf (what tests link), the program bin/<name> and the tests. TOGETHER: its sources are compiled
# several at once, which the leaves of the main job are (hakaru_together).
# The target hakaru_programs is every leaf and tool without the tests: what ./hakaru builds where it cannot name less.
add_custom_target(hakaru_programs)

function(hakaru_add_leaves)
  foreach(kind_folder IN LISTS ARGN)
    file(GLOB folders CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}/${kind_folder}" "${CMAKE_SOURCE_DIR}/${kind_folder}/*/CMakeLists.txt")
    foreach(entry IN LISTS folders)
      get_filename_component(name "${entry}" DIRECTORY)
      if(NOT HAKARU_LEAVES OR name IN_LIST HAKARU_LEAVES)
        add_subdirectory("${CMAKE_SOURCE_DIR}/${kind_folder}/${name}" "${CMAKE_BINARY_DIR}/${kind_folder}/${name}")
      endif()
    endforeach()
  endforeach()
endfunction()

function(hakaru_leaf name)
  cmake_parse_arguments(leaf "NO_MPI;TOGETHER" "" "SOURCES;TESTS;LIBRARIES" ${ARGN})
  if(HAKARU_MPI STREQUAL "none" AND NOT leaf_NO_MPI)
    message(STATUS "leaf ${name} needs MPI: not built")
    return()
  endif()
  get_filename_component(parent "${CMAKE_CURRENT_SOURCE_DIR}" DIRECTORY)
  get_filename_component(folder "${parent}" NAME)
  string(REGEX REPLACE "s$" "" kind "${folder}")
  file(RELATIVE_PATH source "${CMAKE_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(harness hakaru_harness_mpi)
  set(needs_mpi true)
  if(leaf_NO_MPI)
    set(harness hakaru_harness_serial)
    set(needs_mpi false)
  endif()

  set(kind_source "${CMAKE_CURRENT_BINARY_DIR}/kind_of_program.cpp")
  file(CONFIGURE OUTPUT "${kind_source}" CONTENT
    "#include \"native/harness/kind_of_program.hpp\"\nstd::string hakaru::harness::kind_of_program() { return \"${kind}\"; }\n")
  add_library(hakaru_${name}_leaf OBJECT ${leaf_SOURCES} "${kind_source}")
  target_link_libraries(hakaru_${name}_leaf PUBLIC ${harness} ${leaf_LIBRARIES})
  hakaru_precompile(hakaru_${name}_leaf)
  if(leaf_TOGETHER)
    hakaru_together(hakaru_${name}_leaf)
  endif()
  add_executable(${name} $<TARGET_OBJECTS:hakaru_harness_main>)
  target_link_libraries(${name} PRIVATE hakaru_${name}_leaf ${harness} ${leaf_LIBRARIES})
  add_dependencies(hakaru_programs ${name})
  set_property(GLOBAL APPEND PROPERTY hakaru_programs "{\"name\": \"${name}\", \"kind\": \"${kind}\", \"path\": \"bin/${name}\", \"source\": \"${source}\", \"needs_mpi\": ${needs_mpi}}")

  foreach(test_source IN LISTS leaf_TESTS)
    get_filename_component(test_name "${test_source}" NAME_WE)
    hakaru_test(${name}_${test_name} SOURCES ${test_source} LIBRARIES hakaru_${name}_leaf ${harness} ${leaf_LIBRARIES})
  endforeach()
endfunction()

# A program of hakaru that is no leaf: bin/<name>, listed in programs.json under "tools".
#
#   hakaru_tool(hakaru_replay SOURCES main.cpp LIBRARIES hakaru_replay_engine)
function(hakaru_tool name)
  cmake_parse_arguments(tool "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${tool_SOURCES})
  target_link_libraries(${name} PRIVATE ${tool_LIBRARIES})
  add_dependencies(hakaru_programs ${name})
  set_property(GLOBAL APPEND PROPERTY hakaru_tools "{\"name\": \"${name}\", \"path\": \"bin/${name}\"}")
endfunction()

# A GoogleTest program. RANKS runs it under the MPI launcher with each of these numbers of ranks; such a source says
# `HAKARU_MPI_TEST_MAIN()` (native/parallel/test_main.hpp).
function(hakaru_test name)
  cmake_parse_arguments(test "" "" "SOURCES;LIBRARIES;RANKS" ${ARGN})
  add_executable(test_${name} ${test_SOURCES})
  set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  if(NOT test_RANKS)
    target_link_libraries(test_${name} PRIVATE ${test_LIBRARIES} GTest::gtest GTest::gtest_main)
    add_test(NAME ${name} COMMAND test_${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 300 ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
    return()
  endif()
  target_link_libraries(test_${name} PRIVATE ${test_LIBRARIES} GTest::gtest)
  foreach(ranks IN LISTS test_RANKS)
    if(ranks GREATER 1)
      set(processors 2)
    else()
      set(processors 1)
    endif()
    add_test(NAME ${name}_${ranks}_ranks COMMAND "${HAKARU_MPIRUN}" -n ${ranks} $<TARGET_FILE:test_${name}>)
    set_tests_properties(${name}_${ranks}_ranks PROPERTIES TIMEOUT 300 PROCESSORS ${processors} ENVIRONMENT
      "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_hwloc_base_binding_policy=none;OMPI_MCA_mpi_yield_when_idle=1;OMP_NUM_THREADS=1")
  endforeach()
endfunction()

# programs.json: what can be built. Nobody scans bin/, where a removed leaf would leave a stale program.
function(hakaru_write_program_list)
  get_property(programs GLOBAL PROPERTY hakaru_programs)
  list(JOIN programs ",\n  " joined)
  get_property(tools GLOBAL PROPERTY hakaru_tools)
  list(JOIN tools ",\n  " joined_tools)
  file(WRITE "${CMAKE_BINARY_DIR}/programs.json" "{\"mpi\": \"${HAKARU_MPI}\", \"mpirun\": \"${HAKARU_MPIRUN}\", \"programs\": [\n  ${joined}\n], \"tools\": [\n  ${joined_tools}\n]}\n")
endfunction()
