"""The CMake package (`find_package(MusaBuild)`), and the variables that it gets from musa_build."""
