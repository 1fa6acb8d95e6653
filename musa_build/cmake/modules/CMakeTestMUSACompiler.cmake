if(CMAKE_MUSA_COMPILER_FORCED)
  set(CMAKE_MUSA_COMPILER_WORKS TRUE)
  return()
endif()
if(CMAKE_MUSA_COMPILER_WORKS)
  return()
endif()

set(_musa_directory "${CMAKE_BINARY_DIR}/CMakeFiles/CMakeTmp/musa")
file(WRITE "${_musa_directory}/simple.mu"
  "#ifndef __MUSA__\n#error this compiler does not compile MUSA\n#endif\n__global__ void simple() {}\n")
execute_process(
  COMMAND "${CMAKE_MUSA_COMPILER}" -U__CUDA__ -x musa -c "${_musa_directory}/simple.mu" -o "${_musa_directory}/simple.o"
  RESULT_VARIABLE _musa_status OUTPUT_VARIABLE _musa_output ERROR_VARIABLE _musa_output)
if(NOT _musa_status EQUAL 0)
  message(FATAL_ERROR "The MUSA compiler\n  ${CMAKE_MUSA_COMPILER}\ncannot compile a simple file:\n${_musa_output}")
endif()
message(STATUS "Check for working MUSA compiler - works")
set(CMAKE_MUSA_COMPILER_WORKS 1 CACHE INTERNAL "")
