# CMake includes this file when the language MUSA is enabled for the first time in a build directory.
include(${CMAKE_CURRENT_LIST_DIR}/MusaSdk.cmake)

if(CMAKE_VERSION VERSION_LESS 3.22)
  message(FATAL_ERROR "The language MUSA needs CMake 3.22 or newer, not ${CMAKE_VERSION}: run `pip install cmake`.")
endif()

if(NOT CMAKE_MUSA_COMPILER)
  if(NOT "$ENV{MCC}" STREQUAL "")
    find_program(CMAKE_MUSA_COMPILER NAMES "$ENV{MCC}" DOC "The MUSA compiler")
  else()
    _musa_find_root(_musa_root)
    if(_musa_root)
      set(CMAKE_MUSA_COMPILER "${_musa_root}/bin/mcc" CACHE FILEPATH "The MUSA compiler")
    endif()
  endif()
endif()
if(NOT CMAKE_MUSA_COMPILER)
  message(FATAL_ERROR "No MUSA compiler was found: set MUSA_HOME to the SDK's root directory, which contains bin/mcc, or pass "
    "-DCMAKE_MUSA_COMPILER=/path/to/mcc. MUSA_BUILD_SIMULATOR=1 builds for the simulator.")
endif()
mark_as_advanced(CMAKE_MUSA_COMPILER)

# Some releases do not print "mcc version X". Use clang's own version then.
execute_process(COMMAND "${CMAKE_MUSA_COMPILER}" --version OUTPUT_VARIABLE _musa_output ERROR_QUIET)
foreach(_musa_line IN ITEMS "mcc version" "version")
  if(NOT CMAKE_MUSA_COMPILER_VERSION AND _musa_output MATCHES "${_musa_line} ([0-9]+(\\.[0-9]+)*)")
    set(CMAKE_MUSA_COMPILER_VERSION "${CMAKE_MATCH_1}")
  endif()
endforeach()
# CMake's own probe for the compiler's id looks for its sources below CMAKE_ROOT only, so it cannot be used here.
set(CMAKE_MUSA_COMPILER_ID Clang)
set(CMAKE_MUSA_COMPILER_ENV_VAR MCC)
message(STATUS "The MUSA compiler is mcc ${CMAKE_MUSA_COMPILER_VERSION}: ${CMAKE_MUSA_COMPILER}")

configure_file(${CMAKE_CURRENT_LIST_DIR}/CMakeMUSACompiler.cmake.in
  ${CMAKE_PLATFORM_INFO_DIR}/CMakeMUSACompiler.cmake @ONLY)
