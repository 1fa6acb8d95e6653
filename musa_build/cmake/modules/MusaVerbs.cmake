# Functions for targets with MUSA sources.
#
#   musa_add_library(name [STATIC | SHARED | MODULE | OBJECT] [EXCLUDE_FROM_ALL] source... [OPTIONS flag...])
#   musa_add_executable(name [EXCLUDE_FROM_ALL] source... [OPTIONS flag...])
#   musa_compile(variable source... [OPTIONS flag...])       the objects of the sources, to list in another target
#   musa_include_directories(directory...)                   for the MUSA sources of targets made after it
#
# mcc compiles .mu and .cu sources, and sources with the property MUSA_SOURCE_PROPERTY_FORMAT OBJ. Flags for mcc:
# MUSA_MCC_FLAGS and MUSA_MCC_FLAGS_<CONFIG> (lists or text with spaces), then OPTIONS. As with FindCUDA, mcc gets the
# CMAKE_CXX_FLAGS too, unless MUSA_PROPAGATE_HOST_FLAGS is OFF, and libmusart is linked as PUBLIC unless
# MUSA_LINK_LIBRARIES_KEYWORD is PRIVATE.
include_guard()

# Sets `result` to flags, given as lists or as text with spaces, as one text for a shell.
function(_musa_join_flags result)
  set(quoted)
  foreach(entry IN LISTS ARGN)
    separate_arguments(parts UNIX_COMMAND "${entry}")
    foreach(part IN LISTS parts)
      string(REPLACE "\\" "\\\\" part "${part}")
      string(REPLACE "\"" "\\\"" part "${part}")
      if(part MATCHES "[ \t'\"]")
        set(part "\"${part}\"")
      endif()
      list(APPEND quoted "${part}")
    endforeach()
  endforeach()
  list(JOIN quoted " " text)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

function(_musa_mark_sources)
  foreach(source IN LISTS ARGN)
    get_source_file_property(format "${source}" MUSA_SOURCE_PROPERTY_FORMAT)
    if(source MATCHES "\\.([cC][uU]|[mM][uU])$" OR format STREQUAL "OBJ")
      set_source_files_properties("${source}" PROPERTIES LANGUAGE MUSA)
    endif()
  endforeach()
endfunction()

# Adds the flags of mcc to a target. They are one SHELL: text, because CMake would drop the second -mllvm of two.
function(_musa_configure_target target)
  set(flags ${MUSA_MCC_FLAGS} ${ARGN})
  if(NOT DEFINED MUSA_PROPAGATE_HOST_FLAGS OR MUSA_PROPAGATE_HOST_FLAGS)
    set(flags ${CMAKE_CXX_FLAGS} ${flags})
  endif()
  _musa_join_flags(text ${flags})
  if(text)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:MUSA>:SHELL:${text}>")
  endif()
  foreach(config IN ITEMS DEBUG RELEASE RELWITHDEBINFO MINSIZEREL)
    _musa_join_flags(for_config ${MUSA_MCC_FLAGS_${config}})
    if(for_config)
      target_compile_options(${target} PRIVATE
        "$<$<AND:$<COMPILE_LANGUAGE:MUSA>,$<CONFIG:${config}>>:SHELL:${for_config}>")
    endif()
  endforeach()
  if(text MATCHES "--(offload|cuda-gpu)-arch") # the user's list replaces ours
    set_target_properties(${target} PROPERTIES MUSA_ARCHITECTURES OFF)
  endif()
  if(NOT text MATCHES "-std=") # mcc accepts one at most
    set(standard "$<TARGET_PROPERTY:${target},CXX_STANDARD>")
    target_compile_options(${target} PRIVATE
      "$<$<AND:$<COMPILE_LANGUAGE:MUSA>,$<BOOL:${standard}>>:-std=c++${standard}>")
  endif()
  # mcc's objects do not need mcc for linking, and the C++ compiler adds its own library.
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  if(MUSA_SIMULATED) # it is in a cache folder, where the loader does not search
    set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH "${MUSA_TOOLKIT_ROOT_DIR}/lib")
  endif()
  foreach(directory IN LISTS MUSA_MCC_INCLUDE_DIRS_USER)
    target_include_directories(${target} PRIVATE "$<$<COMPILE_LANGUAGE:MUSA>:${directory}>")
  endforeach()
endfunction()

# Links by property instead of target_link_libraries. So a project may call that command with or without PRIVATE and
# PUBLIC: CMake does not allow both for one target.
function(_musa_link target library)
  set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES ${library})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY" AND MUSA_LINK_LIBRARIES_KEYWORD STREQUAL "PRIVATE")
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES "$<LINK_ONLY:${library}>")
  elseif(type MATCHES "^(STATIC|SHARED)_LIBRARY$" AND NOT MUSA_LINK_LIBRARIES_KEYWORD STREQUAL "PRIVATE")
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${library})
  endif()
endfunction()

# A macro, so that it sets a variable for the caller's directory and those below it.
macro(musa_include_directories)
  foreach(_musa_directory ${ARGN})
    get_filename_component(_musa_directory "${_musa_directory}" ABSOLUTE)
    list(APPEND MUSA_MCC_INCLUDE_DIRS_USER "${_musa_directory}")
  endforeach()
endmacro()

function(musa_add_library name)
  cmake_parse_arguments(arg "STATIC;SHARED;MODULE;OBJECT;EXCLUDE_FROM_ALL" "" "OPTIONS" ${ARGN})
  set(options)
  foreach(option IN ITEMS STATIC SHARED MODULE OBJECT EXCLUDE_FROM_ALL)
    if(arg_${option})
      list(APPEND options ${option})
    endif()
  endforeach()
  _musa_mark_sources(${arg_UNPARSED_ARGUMENTS})
  add_library(${name} ${options} ${arg_UNPARSED_ARGUMENTS})
  _musa_configure_target(${name} ${arg_OPTIONS})
  if(NOT arg_OBJECT)
    _musa_link(${name} MUSA::musart)
  endif()
endfunction()

function(musa_add_executable name)
  cmake_parse_arguments(arg "EXCLUDE_FROM_ALL" "" "OPTIONS" ${ARGN})
  set(options)
  if(arg_EXCLUDE_FROM_ALL)
    list(APPEND options EXCLUDE_FROM_ALL)
  endif()
  _musa_mark_sources(${arg_UNPARSED_ARGUMENTS})
  add_executable(${name} ${options} ${arg_UNPARSED_ARGUMENTS})
  _musa_configure_target(${name} ${arg_OPTIONS})
  _musa_link(${name} MUSA::musart)
endfunction()

function(musa_compile variable)
  string(MAKE_C_IDENTIFIER "musa_compile_${variable}" name)
  musa_add_library(${name} OBJECT ${ARGN})
  target_include_directories(${name} PRIVATE "${MUSA_TOOLKIT_INCLUDE}")
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set(${variable} "$<TARGET_OBJECTS:${name}>" PARENT_SCOPE)
endfunction()
