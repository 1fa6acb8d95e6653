#[==[
FindMUSA
--------
The functions of CMake's old FindCUDA, for projects ported from it: musa_add_library(), musa_add_executable(),
musa_compile(), musa_include_directories(), MUSA_MCC_FLAGS. They use the language MUSA, so their targets are ordinary
ones: header dependencies, parallel builds and compile_commands.json work as for C++. See MusaVerbs.cmake. Needs
CMake >= 3.22. Call project() first.

Variables: MUSA_FOUND, MUSA_VERSION, MUSA_INCLUDE_DIRS, MUSA_LIBRARIES, MUSA_TOOLKIT_ROOT_DIR, MUSA_TOOLKIT_INCLUDE,
MUSA_MCC_EXECUTABLE, MUSA_SIMULATED.
#]==]
include(${CMAKE_CURRENT_LIST_DIR}/MusaSdk.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/MusaTargets.cmake)

_musa_find_root(_musa_root)
if(_musa_root AND EXISTS "${_musa_root}/include/musa_runtime.h")
  _musa_read_version("${_musa_root}" MUSA_VERSION MUSA_SIMULATED)
  _musa_import_all("${_musa_root}")
  set(MUSA_TOOLKIT_ROOT_DIR "${_musa_root}")
  set(MUSA_TOOLKIT_INCLUDE "${_musa_root}/include")
  set(MUSA_INCLUDE_DIRS "${MUSA_TOOLKIT_INCLUDE}")
  set(MUSA_MCC_EXECUTABLE "${_musa_root}/bin/mcc")
  if(TARGET MUSA::musart)
    set(MUSA_LIBRARIES MUSA::musart)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MUSA
  REQUIRED_VARS MUSA_TOOLKIT_ROOT_DIR MUSA_INCLUDE_DIRS MUSA_LIBRARIES
  VERSION_VAR MUSA_VERSION
  REASON_FAILURE_MESSAGE "set MUSA_HOME to the SDK's root directory, which contains bin/mcc, or MUSA_BUILD_SIMULATOR=1")
if(MUSA_FOUND)
  if(NOT CMAKE_MUSA_COMPILER)
    set(CMAKE_MUSA_COMPILER "${MUSA_MCC_EXECUTABLE}" CACHE FILEPATH "The MUSA compiler")
  endif()
  # CMake finds the files of a language through the module path.
  if(NOT CMAKE_CURRENT_LIST_DIR IN_LIST CMAKE_MODULE_PATH)
    list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
  endif()
  enable_language(MUSA)
  include(${CMAKE_CURRENT_LIST_DIR}/MusaVerbs.cmake)
endif()
