#[==[
FindMUSA
--------
The simulated SDK's own module, for projects that append $MUSA_HOME/cmake to CMAKE_MODULE_PATH as for a real SDK. Its names
are those that such projects use; they come from CMake's old FindCUDA. For CMake >= 3.20.

Variables: MUSA_FOUND, MUSA_VERSION, MUSA_TOOLKIT_ROOT_DIR, MUSA_TOOLKIT_INCLUDE, MUSA_INCLUDE_DIRS, MUSA_LIBRARIES,
MUSA_MCC_EXECUTABLE.

  musa_add_library(name [STATIC | SHARED | MODULE] [EXCLUDE_FROM_ALL] source... [OPTIONS flag...])
  musa_add_executable(name [EXCLUDE_FROM_ALL] source... [OPTIONS flag...])
  musa_compile(variable source... [OPTIONS flag...])     the objects, to list as sources of another target
  musa_include_directories(directory...)

mcc compiles .mu and .cu sources, and those with the property MUSA_SOURCE_PROPERTY_FORMAT OBJ. It gets MUSA_MCC_FLAGS and
MUSA_MCC_FLAGS_<CONFIG> (lists, or text with spaces), the CMAKE_CXX_FLAGS unless MUSA_PROPAGATE_HOST_FLAGS is OFF, and the
target's definitions and include directories. libmusart is linked with MUSA_LINK_LIBRARIES_KEYWORD, if that is set. With MUSA_VERBOSE_BUILD the commands are printed.
#]==]
if(MUSA_SEPARABLE_COMPILATION)
  message(FATAL_ERROR "MUSA_SEPARABLE_COMPILATION isn't supported by this module: it has no step for mcc's device link")
endif()
get_filename_component(MUSA_TOOLKIT_ROOT_DIR "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(MUSA_TOOLKIT_INCLUDE "${MUSA_TOOLKIT_ROOT_DIR}/include")
set(MUSA_INCLUDE_DIRS "${MUSA_TOOLKIT_INCLUDE}")
set(MUSA_LIBRARIES "${MUSA_TOOLKIT_ROOT_DIR}/lib/libmusart.so")
set(MUSA_MCC_EXECUTABLE "${MUSA_TOOLKIT_ROOT_DIR}/bin/mcc")
file(READ "${MUSA_TOOLKIT_ROOT_DIR}/version.json" _musa_text)
string(JSON MUSA_VERSION GET "${_musa_text}" musa_toolkits version)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MUSA
  REQUIRED_VARS MUSA_TOOLKIT_ROOT_DIR MUSA_INCLUDE_DIRS MUSA_LIBRARIES MUSA_MCC_EXECUTABLE
  VERSION_VAR MUSA_VERSION)

# The words of a variable that may be a list or text with spaces.
function(_musa_words result)
  set(words)
  foreach(entry IN LISTS ARGN)
    separate_arguments(parts UNIX_COMMAND "${entry}")
    list(APPEND words ${parts})
  endforeach()
  set(${result} "${words}" PARENT_SCOPE)
endfunction()

# Commands that compile the MUSA sources among ARGN: their objects, and the sources that are not MUSA's.
function(_musa_compile_for name objects_result others_result)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "OPTIONS")
  set(host_flags)
  if(NOT DEFINED MUSA_PROPAGATE_HOST_FLAGS OR MUSA_PROPAGATE_HOST_FLAGS)
    set(host_flags ${CMAKE_CXX_FLAGS})
  endif()
  _musa_words(host_flags ${host_flags})
  _musa_words(flags ${MUSA_MCC_FLAGS} ${arg_OPTIONS})
  foreach(config IN ITEMS Debug Release RelWithDebInfo MinSizeRel)
    string(TOUPPER ${config} upper)
    _musa_words(for_config ${CMAKE_CXX_FLAGS_${upper}} ${MUSA_MCC_FLAGS_${upper}})
    foreach(word IN LISTS for_config) # one expression per word: a semicolon within one would end it here
      list(APPEND flags "$<$<CONFIG:${config}>:${word}>")
    endforeach()
  endforeach()
  set(definitions "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>>")
  set(directories "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>>")
  # escaped: the semicolons are for COMMAND_EXPAND_LISTS
  set(definitions "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},\\;-D>>")
  set(directories "$<$<BOOL:${directories}>:-I$<JOIN:${directories},\\;-I>>")
  set(objects)
  set(others)
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    get_source_file_property(format "${source}" MUSA_SOURCE_PROPERTY_FORMAT)
    if(NOT source MATCHES "\\.([cC][uU]|[mM][uU])$" AND NOT format STREQUAL "OBJ")
      list(APPEND others "${source}")
      continue()
    endif()
    get_filename_component(path "${source}" ABSOLUTE)
    file(RELATIVE_PATH relative "${CMAKE_CURRENT_SOURCE_DIR}" "${path}")
    string(REPLACE "../" "__/" relative "${relative}")
    set(object "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/${relative}.o")
    get_filename_component(folder "${object}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    set(command "${MUSA_MCC_EXECUTABLE}" -x musa "${path}" -c -o "${object}" -MD -MF "${object}.d" -fPIC -m64
      "${definitions}" ${host_flags} ${flags} -U__CUDA__ "${directories}")
    set(print)
    if(MUSA_VERBOSE_BUILD)
      set(print "${CMAKE_COMMAND}" -E echo)
    endif()
    add_custom_command(
      OUTPUT "${object}"
      COMMAND ${print} ${command}
      DEPENDS "${path}" "${MUSA_MCC_EXECUTABLE}"
      DEPFILE "${object}.d"
      COMMENT "Building MCC (Device) object ${relative}.o"
      COMMAND_EXPAND_LISTS VERBATIM)
    if(MUSA_VERBOSE_BUILD)
      add_custom_command(OUTPUT "${object}" APPEND COMMAND ${command})
    endif()
    set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    list(APPEND objects "${object}")
  endforeach()
  set(${objects_result} "${objects}" PARENT_SCOPE)
  set(${others_result} "${others}" PARENT_SCOPE)
endfunction()

function(_musa_finish_target name)
  target_link_libraries(${name} ${MUSA_LINK_LIBRARIES_KEYWORD} ${MUSA_LIBRARIES})
  set_property(TARGET ${name} APPEND PROPERTY INCLUDE_DIRECTORIES "${MUSA_INCLUDE_DIRS}")
  # The SDK is in a cache folder, which no loader knows.
  set_property(TARGET ${name} APPEND PROPERTY INSTALL_RPATH "${MUSA_TOOLKIT_ROOT_DIR}/lib")
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

function(musa_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC;SHARED;MODULE;EXCLUDE_FROM_ALL" "" "")
  set(kind)
  foreach(word IN ITEMS STATIC SHARED MODULE EXCLUDE_FROM_ALL)
    if(arg_${word})
      list(APPEND kind ${word})
    endif()
  endforeach()
  _musa_compile_for(${name} objects others ${arg_UNPARSED_ARGUMENTS})
  add_library(${name} ${kind} ${others} ${objects})
  _musa_finish_target(${name})
  get_target_property(type ${name} TYPE)
  if(type MATCHES "^(SHARED|MODULE)_LIBRARY$") # CMake itself defines it for compiled sources only
    set_property(TARGET ${name} APPEND PROPERTY COMPILE_DEFINITIONS ${name}_EXPORTS)
  endif()
endfunction()

function(musa_add_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EXCLUDE_FROM_ALL" "" "")
  set(kind)
  if(arg_EXCLUDE_FROM_ALL)
    set(kind EXCLUDE_FROM_ALL)
  endif()
  _musa_compile_for(${name} objects others ${arg_UNPARSED_ARGUMENTS})
  add_executable(${name} ${kind} ${others} ${objects})
  _musa_finish_target(${name})
endfunction()

function(musa_compile variable)
  string(MAKE_C_IDENTIFIER "musa_compile_${variable}" name)
  add_library(${name} INTERFACE) # carries the directory's definitions and include directories
  get_directory_property(definitions COMPILE_DEFINITIONS)
  get_directory_property(directories INCLUDE_DIRECTORIES)
  set_target_properties(${name} PROPERTIES COMPILE_DEFINITIONS "${definitions}" INCLUDE_DIRECTORIES "${directories}")
  _musa_compile_for(${name} objects others ${ARGN})
  set(${variable} "${objects}" PARENT_SCOPE)
endfunction()

macro(musa_include_directories)
  include_directories(${ARGN})
endmacro()
