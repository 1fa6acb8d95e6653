#[==[
FindMUSAToolkit
---------------
The simulated SDK's own module: its headers and libraries as targets, as CMake's FindCUDAToolkit does it for CUDA. For
CMake >= 3.20. Components are libraries that must be there.

Variables: MUSAToolkit_FOUND, _VERSION, _ROOT_DIR, _BIN_DIR, _INCLUDE_DIR, _INCLUDE_DIRS, _LIBRARY_DIR, _MCC_EXECUTABLE.
Targets: MUSA::toolkit (headers), MUSA::musart, MUSA::musa_driver, and MUSA::<library> for each other library: mublas, mufft...
#]==]
get_filename_component(MUSAToolkit_ROOT_DIR "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(MUSAToolkit_BIN_DIR "${MUSAToolkit_ROOT_DIR}/bin")
set(MUSAToolkit_MCC_EXECUTABLE "${MUSAToolkit_BIN_DIR}/mcc")
set(MUSAToolkit_LIBRARY_DIR "${MUSAToolkit_ROOT_DIR}/lib")
set(MUSAToolkit_INCLUDE_DIR "${MUSAToolkit_ROOT_DIR}/include")
set(MUSAToolkit_INCLUDE_DIRS "${MUSAToolkit_INCLUDE_DIR}")
file(READ "${MUSAToolkit_ROOT_DIR}/version.json" _musa_text)
string(JSON MUSAToolkit_VERSION GET "${_musa_text}" musa_toolkits version)

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
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MUSAToolkit
  REQUIRED_VARS MUSAToolkit_ROOT_DIR MUSAToolkit_INCLUDE_DIR
  VERSION_VAR MUSAToolkit_VERSION
  HANDLE_COMPONENTS)
