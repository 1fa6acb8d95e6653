#[=[
EnableMUSALanguage: lets `enable_language(MUSA)` work, with this SDK's mcc.

    project(demo LANGUAGES CXX)
    list(APPEND CMAKE_MODULE_PATH $ENV{MUSA_HOME}/cmake)
    include(EnableMUSALanguage)
    enable_language(MUSA)
    add_executable(demo main.cpp kernel.mu)

It is included after `project`, and needs Ninja. CMAKE_MUSA_FLAGS, CMAKE_MUSA_STANDARD and CMAKE_MUSA_EXTENSIONS (set
before the language is enabled) and the target properties MUSA_STANDARD, MUSA_EXTENSIONS and MUSA_VISIBILITY_PRESET mean
what CXX_... mean for C++, and $<COMPILE_LANGUAGE:MUSA> is true for .mu files.
]=]
if(CMAKE_VERSION VERSION_LESS 3.23)
  message(FATAL_ERROR "EnableMUSALanguage needs CMake 3.23 or newer, not ${CMAKE_VERSION}: run `pip install cmake`")
endif()
if(NOT PROJECT_NAME)
  message(FATAL_ERROR "include(EnableMUSALanguage) must come after project(...)")
endif()
if(NOT CMAKE_GENERATOR MATCHES "Ninja")
  message(FATAL_ERROR "EnableMUSALanguage supports the generator Ninja only, not ${CMAKE_GENERATOR}: pass -G Ninja")
endif()
list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}/musa_language")
