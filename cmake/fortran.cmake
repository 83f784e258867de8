# The Fortran part of a leaf, left out where there is no compiler of it:
#
#   hakaru_fortran(LIBRARY SOURCE TOLD_TO OPTIONS...)
#
# makes the static library LIBRARY of SOURCE and sets `fortran` to its name, else to nothing. The source TOLD_TO gets HAKARU_FORTRAN, the
# compiler's name and version, where there is one. A macro, since a language cannot be enabled inside a function.
include(CheckLanguage)

macro(hakaru_fortran library source told_to)
  if(CMAKE_Fortran_COMPILER STREQUAL "NOTFOUND")
    unset(CMAKE_Fortran_COMPILER CACHE) # it may have been installed since
  endif()
  check_language(Fortran)
  set(fortran "")
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    add_library(${library} STATIC ${source})
    target_compile_options(${library} PRIVATE ${ARGN})
    set_target_properties(${library} PROPERTIES Fortran_MODULE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
    string(CONCAT fortran_about "${CMAKE_Fortran_COMPILER_ID} ${CMAKE_Fortran_COMPILER_VERSION}")
    set_property(SOURCE ${told_to} APPEND PROPERTY COMPILE_DEFINITIONS "HAKARU_FORTRAN=\"${fortran_about}\"")
    set(fortran ${library})
  else()
    message(STATUS "${library}: no Fortran compiler; it is left out")
  endif()
endmacro()
