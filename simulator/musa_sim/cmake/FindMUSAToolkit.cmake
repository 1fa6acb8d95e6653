#[==[
FindMUSAToolkit
---------------
The simulated SDK's own module: its headers and libraries as targets, as CMake's FindCUDAToolkit does it for CUDA. For
CMake >= 3.20. Components are libraries that must be there.

Variables: MUSAToolkit_FOUND, _VERSION, _VERSION_MAJOR, _VERSION_MINOR, _VERSION_PATCH, _ROOT_DIR, _BIN_DIR, _INCLUDE_DIR, _INCLUDE_DIRS, _LIBRARY_DIR, _MCC_EXECUTABLE.
Targets: MUSA::toolkit (headers), MUSA::musart, MUSA::musa_driver, and MUSA::<library> for each other library: mublas, mufft...
MUSA::<library>_static links the same shared library, as lib<library>_static.a does, which is a script of the linker.
#]==]
get_filename_component(MUSAToolkit_ROOT_DIR "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(MUSAToolkit_BIN_DIR "${MUSAToolkit_ROOT_DIR}/bin")
set(MUSAToolkit_MCC_EXECUTABLE "${MUSAToolkit_BIN_DIR}/mcc")
set(MUSAToolkit_LIBRARY_DIR "${MUSAToolkit_ROOT_DIR}/lib")
set(MUSAToolkit_INCLUDE_DIR "${MUSAToolkit_ROOT_DIR}/include")
set(MUSAToolkit_INCLUDE_DIRS "${MUSAToolkit_INCLUDE_DIR}")
file(READ "${MUSAToolkit_ROOT_DIR}/version.json" _musa_text)
string(JSON MUSAToolkit_VERSION GET "${_musa_text}" musa_toolkits version)
string(REPLACE "." ";" _musa_numbers "${MUSAToolkit_VERSION}.0.0")
list(GET _musa_numbers 0 MUSAToolkit_VERSION_MAJOR)
list(GET _musa_numbers 1 MUSAToolkit_VERSION_MINOR)
list(GET _musa_numbers 2 MUSAToolkit_VERSION_PATCH)

if(NOT TARGET MUSA::toolkit)
  add_library(MUSA::toolkit INTERFACE IMPORTED GLOBAL)
  target_include_directories(MUSA::toolkit SYSTEM INTERFACE "${MUSAToolkit_INCLUDE_DIR}")
endif()
file(GLOB _musa_libraries "${MUSAToolkit_LIBRARY_DIR}/lib*.so")
foreach(_musa_library IN LISTS _musa_libraries)
  get_filename_component(_musa_name "${_musa_library}" NAME_WE)
  string(REGEX REPLACE "^lib" "" _musa_name "${_musa_name}")
  string(REGEX REPLACE "^musa$" "musa_driver" _musa_name "${_musa_name}")
  set(MUSAToolkit_${_musa_name}_FOUND TRUE)
  if(NOT TARGET MUSA::${_musa_name})
    add_library(MUSA::${_musa_name} SHARED IMPORTED GLOBAL)
    set_target_properties(MUSA::${_musa_name} PROPERTIES
      IMPORTED_LOCATION "${_musa_library}" INTERFACE_LINK_LIBRARIES MUSA::toolkit)
  endif()
  if(NOT TARGET MUSA::${_musa_name}_static AND NOT _musa_name MATCHES "^(mudnn|mudnncxx|musa_driver)$")
    add_library(MUSA::${_musa_name}_static INTERFACE IMPORTED GLOBAL)
    target_link_libraries(MUSA::${_musa_name}_static INTERFACE MUSA::${_musa_name})
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MUSAToolkit
  REQUIRED_VARS MUSAToolkit_ROOT_DIR MUSAToolkit_INCLUDE_DIR
  VERSION_VAR MUSAToolkit_VERSION
  HANDLE_COMPONENTS)
