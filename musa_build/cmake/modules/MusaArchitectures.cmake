# Parses names of architectures as the Python side does: 22, mp_22 and 2.2 are equivalent, and `all` and `native`.
include_guard()
include(${CMAKE_CURRENT_LIST_DIR}/MusaSdk.cmake)

set(_MUSA_KNOWN_ARCHITECTURES 10 21 22 31 32 41 42 43)
# The cards on sale: S80 and S3000, S4000, S5000.
set(_MUSA_ALL_ARCHITECTURES 21 22 31)

# Sets `result` to the numbers that `text` (from `origin`) names.
function(_musa_parse_architectures text origin result)
  string(REGEX REPLACE "[, \t]+" ";" names "${text}")
  set(numbers)
  foreach(name IN LISTS names)
    if(name STREQUAL "")
      continue()
    elseif(name STREQUAL "all")
      list(APPEND numbers ${_MUSA_ALL_ARCHITECTURES})
      continue()
    elseif(name STREQUAL "native")
      _musa_native_architectures(native)
      list(APPEND numbers ${native})
      continue()
    endif()
    string(REGEX REPLACE "^(mp_)?([0-9])\\.?([0-9])$" "\\2\\3" number "${name}")
    if(NOT number IN_LIST _MUSA_KNOWN_ARCHITECTURES)
      list(JOIN _MUSA_KNOWN_ARCHITECTURES ", " known)
      message(FATAL_ERROR "${origin} names an unknown MUSA architecture: '${name}'; wanted: one of ${known}, native or all")
    endif()
    list(APPEND numbers ${number})
  endforeach()
  if(NOT numbers)
    message(FATAL_ERROR "${origin} names no MUSA architecture: '${text}'")
  endif()
  list(REMOVE_DUPLICATES numbers)
  list(SORT numbers)
  set(${result} "${numbers}" PARENT_SCOPE)
endfunction()

# Sets `result` to the architectures of this machine's cards. A small program asks libmusart.
function(_musa_native_architectures result)
  set(directory "${CMAKE_BINARY_DIR}/CMakeFiles/CMakeTmp/musa")
  file(WRITE "${directory}/cards.mu" [==[
#include <cstdio>
#include <musa_runtime.h>
int main() {
    int count = 0;
    if (musaGetDeviceCount(&count) != musaSuccess) return 1;
    for (int device = 0; device < count; ++device) {
        musaDeviceProp properties;
        if (musaGetDeviceProperties(&properties, device) != musaSuccess) return 1;
        std::printf("%s%d%d", device ? ";" : "", properties.major, properties.minor);
    }
}
]==])
  _musa_find_root(root)
  execute_process(
    COMMAND "${CMAKE_MUSA_COMPILER}" -x musa "${directory}/cards.mu" -x none -o "${directory}/cards" "-L${root}/lib"
      "-Wl,-rpath,${root}/lib" -lmusart
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${directory}/cards" OUTPUT_VARIABLE cards RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR cards STREQUAL "")
    message(FATAL_ERROR "The MUSA architecture is native, but no card was found: name the architecture of the card that "
      "will run the program, for example -DCMAKE_MUSA_ARCHITECTURES=22")
  endif()
  set(${result} "${cards}" PARENT_SCOPE)
endfunction()

# Sets CMAKE_MUSA_ARCHITECTURES in the cache: the user's, else that of the environment, else the default.
macro(_musa_default_architectures)
  if(NOT DEFINED CMAKE_MUSA_ARCHITECTURES)
    set(_musa_chosen "22")
    set(_musa_origin "the default; -DCMAKE_MUSA_ARCHITECTURES names others")
    foreach(_musa_variable IN ITEMS TORCH_MUSA_ARCH MUSA_ARCH TORCH_MUSA_ARCH_LIST) # the last one set wins
      if(NOT "$ENV{${_musa_variable}}" STREQUAL "")
        set(_musa_chosen "$ENV{${_musa_variable}}")
        set(_musa_origin "${_musa_variable}")
      endif()
    endforeach()
    _musa_parse_architectures("${_musa_chosen}" "${_musa_origin}" _musa_numbers)
    set(CMAKE_MUSA_ARCHITECTURES "${_musa_numbers}" CACHE STRING "MUSA architectures: 22;31, native, all, or OFF")
    message(STATUS "MUSA architectures: ${_musa_numbers} (from ${_musa_origin})")
  elseif(CMAKE_MUSA_ARCHITECTURES)
    _musa_parse_architectures("${CMAKE_MUSA_ARCHITECTURES}" CMAKE_MUSA_ARCHITECTURES _musa_numbers)
    set(CMAKE_MUSA_ARCHITECTURES "${_musa_numbers}") # a normal variable: the cache keeps the user's text
  endif()
endmacro()

# Adds one --offload-arch per architecture of a target to the MUSA compiles of this directory and those below it.
macro(_musa_add_architecture_options)
  if(NOT CMAKE_MUSA_FLAGS MATCHES "--(offload|cuda-gpu)-arch")
    set(_musa_own "$<TARGET_PROPERTY:MUSA_ARCHITECTURES>")
    set(_musa_wanted "$<IF:$<STREQUAL:${_musa_own},>,${CMAKE_MUSA_ARCHITECTURES},${_musa_own}>")
    set(_musa_flags "--offload-arch=mp_$<JOIN:${_musa_wanted},;--offload-arch=mp_>")
    add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:MUSA>,$<BOOL:${_musa_wanted}>>:${_musa_flags}>")
  endif()
endmacro()
