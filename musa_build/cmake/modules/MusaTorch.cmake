# musa_add_extension(name source... [PACKAGE package] [OPTIONS flag...] [NO_TORCH])
#
# Adds a Python module of C++ and MUSA sources for torch, as MUSAExtension builds it. PACKAGE is its Python package
# ("my_ops" or "my.ops"): the module is installed in that folder (scikit-build-core makes a wheel of it) and finds torch's
# libraries from there. Without PACKAGE, the project installs it. OPTIONS are flags for mcc. NO_TORCH makes a plain Python
# module. TORCH_EXTENSION_NAME is the target's name. The module is linked to MUSA::torch and MUSA::musart.
#
# musa_target_link_torch(target)
#
# Adds torch's headers and libraries, and the C++ standard that they need, to a target of the project.
include_guard()

# Creates MUSA::torch. Runs the Python of find_package(Python) once per configuration to find torch and torch_musa.
function(_musa_import_torch)
  if(TARGET MUSA::torch)
    return()
  endif()
  set(ENV{MUSA_HOME} "${MUSA_TOOLKIT_ROOT_DIR}") # the result is for the SDK of this build
  set(simulator "$ENV{MUSA_BUILD_SIMULATOR}")
  unset(ENV{MUSA_BUILD_SIMULATOR})
  set(ENV{TORCH_DEVICE_BACKEND_AUTOLOAD} 0) # only torch's files are needed, not its devices
  _musa_run_python(facts -m musa_build cmake-facts)
  set(ENV{MUSA_BUILD_SIMULATOR} "${simulator}")
  file(WRITE "${CMAKE_BINARY_DIR}/CMakeFiles/MusaTorchFacts.cmake" "${facts}\n")
  include("${CMAKE_BINARY_DIR}/CMakeFiles/MusaTorchFacts.cmake")

  set(libraries)
  foreach(name IN LISTS MUSA_TORCH_LIBRARIES)
    find_library(library NAMES ${name} NO_CACHE NO_DEFAULT_PATH PATHS ${MUSA_TORCH_LIBRARY_DIRS})
    if(library)
      list(APPEND libraries "${library}")
    endif()
    unset(library)
  endforeach()
  add_library(MUSA::torch INTERFACE IMPORTED GLOBAL)
  set_target_properties(MUSA::torch PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${MUSA_TORCH_INCLUDE_DIRS}"
    INTERFACE_LINK_LIBRARIES "${libraries}"
    INTERFACE_COMPILE_DEFINITIONS "${MUSA_TORCH_DEFINITIONS}"
    INTERFACE_COMPILE_FEATURES "cxx_std_${MUSA_TORCH_CXX_STANDARD}"
    MUSA_CXX_STANDARD "${MUSA_TORCH_CXX_STANDARD}")
  if(NOT TARGET Torch::Torch) # some projects use this name
    add_library(Torch::Torch ALIAS MUSA::torch)
  endif()
  message(STATUS "torch ${MUSA_TORCH_VERSION}, torch_musa: ${MUSA_TORCH_MUSA}")
endfunction()

function(musa_target_link_torch target)
  _musa_import_torch()
  _musa_link(${target} MUSA::torch)
  get_target_property(needed MUSA::torch MUSA_CXX_STANDARD)
  get_target_property(requested ${target} CXX_STANDARD)
  if(NOT requested OR requested LESS needed OR requested EQUAL 98) # keep a newer one
    set_target_properties(${target} PROPERTIES CXX_STANDARD ${needed} CXX_STANDARD_REQUIRED ON)
  endif()
endfunction()

function(musa_add_extension name)
  cmake_parse_arguments(arg "NO_TORCH" "PACKAGE" "OPTIONS" ${ARGN})
  if(NOT COMMAND Python_add_library)
    message(FATAL_ERROR "musa_add_extension(${name}) needs find_package(Python COMPONENTS Interpreter Development.Module)")
  endif()
  _musa_mark_sources(${arg_UNPARSED_ARGUMENTS})
  Python_add_library(${name} MODULE WITH_SOABI ${arg_UNPARSED_ARGUMENTS})
  _musa_configure_target(${name} ${arg_OPTIONS})

  string(REPLACE "." "/" folder "${arg_PACKAGE}")
  string(REGEX REPLACE "[^/]+" ".." up "${folder}")
  if(NOT arg_NO_TORCH)
    musa_target_link_torch(${name})
    target_compile_definitions(${name} PRIVATE TORCH_EXTENSION_NAME=${name} TORCH_API_INCLUDE_EXTENSION_H)
    foreach(directory IN ITEMS torch/lib torch_musa/lib)
      string(REPLACE "//" "/" run_path "$ORIGIN/${up}/${directory}")
      set_property(TARGET ${name} APPEND PROPERTY INSTALL_RPATH "${run_path}")
    endforeach()
  endif()
  _musa_link(${name} MUSA::musart) # after torch: this is the order of the headers too
  if(arg_PACKAGE)
    install(TARGETS ${name} LIBRARY DESTINATION "${folder}")
  endif()
endfunction()
