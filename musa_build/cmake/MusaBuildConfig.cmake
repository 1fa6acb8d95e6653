#[==[
find_package(MusaBuild), after project(... LANGUAGES CXX):

    find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
    find_package(MusaBuild REQUIRED)
    musa_add_extension(_C csrc/kernels.mu csrc/bindings.cpp PACKAGE my_ops)

It enables the language MUSA (.mu sources in any add_library, MUSA_ARCHITECTURES), creates the targets MUSA::musart,
MUSA::mublas..., and defines musa_add_extension, musa_add_library, musa_add_executable, musa_include_directories and
musa_compile. `python -m musa_build --cmake-dir` prints the folder of this file for CMAKE_PREFIX_PATH or MusaBuild_DIR;
scikit-build-core finds it automatically.

To name the language in project(... LANGUAGES CXX MUSA) instead, put the folder `modules` beside this file on
CMAKE_MODULE_PATH before that call.
#]==]
if(CMAKE_VERSION VERSION_LESS 3.22)
  set(MusaBuild_FOUND FALSE)
  set(MusaBuild_NOT_FOUND_MESSAGE "The language MUSA needs CMake 3.22 or newer, not ${CMAKE_VERSION}")
  return()
endif()
if(NOT CMAKE_CXX_COMPILER_LOADED)
  message(FATAL_ERROR "call find_package(MusaBuild) after project(... LANGUAGES CXX)")
endif()

list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}/modules")
# By its path: the SDK may ship another FindMUSA, with custom commands instead of a language.
set(FPHSA_NAME_MISMATCHED TRUE) # intended: it reports on the package MUSA during find_package(MusaBuild)
include("${CMAKE_CURRENT_LIST_DIR}/modules/FindMUSA.cmake")
unset(FPHSA_NAME_MISMATCHED)
include("${CMAKE_CURRENT_LIST_DIR}/modules/MusaTorch.cmake")
if(NOT MUSA_FOUND)
  set(MusaBuild_FOUND FALSE)
  set(MusaBuild_NOT_FOUND_MESSAGE
    "No MUSA SDK was found: set MUSA_HOME to its root directory, which contains bin/mcc, or MUSA_BUILD_SIMULATOR=1")
endif()
