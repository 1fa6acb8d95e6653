# The SDK's headers and libraries as imported targets MUSA::<name>, for those that exist.

# Creates MUSA::<name> from the library <file> below <root>, and sets MUSAToolkit_<name>_FOUND.
function(_musa_import root name file)
  find_library(_musa_library NAMES ${file} NO_CACHE NO_DEFAULT_PATH PATHS "${root}"
    PATH_SUFFIXES lib lib64 extras/MUPTI/lib64)
  if(NOT _musa_library AND file STREQUAL "musa") # comes with the driver, not with the SDK
    find_library(_musa_library NAMES musa NO_CACHE)
  endif()
  if(NOT _musa_library)
    set(MUSAToolkit_${name}_FOUND FALSE PARENT_SCOPE)
    return()
  endif()
  set(MUSAToolkit_${name}_FOUND TRUE PARENT_SCOPE)
  # The simulated SDK's archives are scripts of the linker that name the shared library, which needs a run path.
  string(REGEX REPLACE "_static\\.a$" ".so" _musa_shared "${_musa_library}")
  if(NOT _musa_shared STREQUAL _musa_library AND EXISTS "${_musa_shared}")
    file(READ "${_musa_library}" _musa_begin LIMIT 13)
    if(_musa_begin MATCHES "^/[*] GNU ld")
      set(_musa_library "${_musa_shared}")
    endif()
  endif()
  if(NOT TARGET MUSA::${name})
    add_library(MUSA::${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(MUSA::${name} PROPERTIES
      IMPORTED_LOCATION "${_musa_library}" INTERFACE_LINK_LIBRARIES "MUSA::toolkit;${ARGN}")
  endif()
endfunction()

macro(_musa_import_all root)
  if(NOT TARGET MUSA::toolkit)
    add_library(MUSA::toolkit INTERFACE IMPORTED GLOBAL)
    set_target_properties(MUSA::toolkit PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${root}/include")
  endif()
  _musa_import("${root}" musart musart)
  _musa_import("${root}" musart_static musart_static dl pthread rt)
  _musa_import("${root}" musa_driver musa)
  # From SDK 5.1 on, muDNN's C++ interface is a separate library, mudnncxx.
  foreach(_musa_name IN ITEMS
      mublas mublasLt mufft murand musparse musolver mudnn mudnncxx mccl mupti mtjpeg mtrtc mtml)
    _musa_import("${root}" ${_musa_name} ${_musa_name})
    _musa_import("${root}" ${_musa_name}_static ${_musa_name}_static)
  endforeach()
  if(TARGET MUSA::mupti AND EXISTS "${root}/extras/MUPTI/include")
    set_property(TARGET MUSA::mupti APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${root}/extras/MUPTI/include")
  endif()
endmacro()
