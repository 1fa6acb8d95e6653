# Written by musa_build's CMakeListsGenerator, which will write it again.
# Edit the script that calls it, or delete this line to keep your own changes from now on.
cmake_minimum_required(VERSION 3.22...4.1)
project(DEMO_MUSA LANGUAGES CXX C)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The Python that runs cmake's configuration must be the one that has musa_build and torch: -DPython_EXECUTABLE=...
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter)
if(NOT MusaBuild_DIR)
  execute_process(COMMAND "${Python_EXECUTABLE}" -m musa_build --cmake-dir
    OUTPUT_VARIABLE MusaBuild_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
find_package(MusaBuild REQUIRED CONFIG)

musa_add_library(demo_musa SHARED
  a.mu
  b.cpp
  c.c
  "sub dir/d \"x\" \$y.mu"
)
musa_target_link_torch(demo_musa)
target_include_directories(demo_musa PRIVATE
  inc
  "/usr/local/my inc"
)
target_compile_definitions(demo_musa PRIVATE
  N=1
  "S=\"x y\""
)
target_link_libraries(demo_musa PRIVATE
  m
  Torch::Torch
  -lpthread
)

include(GNUInstallDirs)
install(TARGETS demo_musa)
