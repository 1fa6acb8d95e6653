"""The CMake package (`find_package(MusaBuild)`), and the facts that it asks musa_build for."""
