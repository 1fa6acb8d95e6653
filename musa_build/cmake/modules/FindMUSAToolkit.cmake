#[==[
FindMUSAToolkit
---------------
Finds the MUSA SDK's headers and libraries, as CMake's FindCUDAToolkit does for CUDA. It enables no language. For
CMake >= 3.18.

It searches MUSA_TOOLKIT_ROOT_DIR, MUSAToolkit_ROOT, beside CMAKE_MUSA_COMPILER, then $MUSAToolkit_ROOT, $MUSA_HOME,
$MUSA_PATH, $MUSA_INSTALL_PATH, mcc on PATH, /usr/local/musa and /opt/musa; $MUSA_BUILD_SIMULATOR=1 selects the
simulated SDK. Components are required libraries: mublas, mublasLt, mufft, murand, musparse, musolver, mudnn, mccl, mupti...

Variables: MUSAToolkit_FOUND, _VERSION, _VERSION_MAJOR, _VERSION_MINOR, _VERSION_PATCH, _ROOT_DIR, _BIN_DIR, _INCLUDE_DIRS, _LIBRARY_DIR, _MCC_EXECUTABLE.
Targets: MUSA::toolkit (headers), MUSA::musart, MUSA::musart_static, MUSA::musa_driver, and MUSA::<component> for
each library found.
#]==]
include(${CMAKE_CURRENT_LIST_DIR}/MusaSdk.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/MusaTargets.cmake)

_musa_find_root(MUSAToolkit_ROOT_DIR)
if(MUSAToolkit_ROOT_DIR)
  _musa_read_version("${MUSAToolkit_ROOT_DIR}" MUSAToolkit_VERSION MUSAToolkit_SIMULATED)
  if(MUSAToolkit_VERSION MATCHES "^([0-9]+)\\.([0-9]+)(\\.([0-9]+))?")
    set(MUSAToolkit_VERSION_MAJOR "${CMAKE_MATCH_1}")
    set(MUSAToolkit_VERSION_MINOR "${CMAKE_MATCH_2}")
    set(MUSAToolkit_VERSION_PATCH "${CMAKE_MATCH_4}")
  endif()
  set(MUSAToolkit_BIN_DIR "${MUSAToolkit_ROOT_DIR}/bin")
  set(MUSAToolkit_MCC_EXECUTABLE "${MUSAToolkit_BIN_DIR}/mcc")
  set(MUSAToolkit_LIBRARY_DIR "${MUSAToolkit_ROOT_DIR}/lib")
  if(EXISTS "${MUSAToolkit_ROOT_DIR}/include/musa_runtime.h")
    set(MUSAToolkit_INCLUDE_DIR "${MUSAToolkit_ROOT_DIR}/include")
    set(MUSAToolkit_INCLUDE_DIRS "${MUSAToolkit_INCLUDE_DIR}")
    _musa_import_all("${MUSAToolkit_ROOT_DIR}")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MUSAToolkit
  REQUIRED_VARS MUSAToolkit_ROOT_DIR MUSAToolkit_INCLUDE_DIR
  VERSION_VAR MUSAToolkit_VERSION
  HANDLE_COMPONENTS
  REASON_FAILURE_MESSAGE "set MUSA_HOME to the SDK's root directory, which contains bin/mcc, or MUSA_BUILD_SIMULATOR=1")
