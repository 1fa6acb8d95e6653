# Finds the MUSA SDK for the language, FindMUSA and FindMUSAToolkit, in the same order as the Python side: the simulator if
# it is selected, then variables, mcc on PATH, /usr/local/musa, /opt/musa.
include_guard()

# Runs Python with the arguments and sets `result` to its output. Stops if it fails.
function(_musa_run_python result)
  if(Python_EXECUTABLE)
    set(python "${Python_EXECUTABLE}")
  else()
    find_program(MUSA_PYTHON NAMES python3 python DOC "The Python that has musa_build")
    set(python "${MUSA_PYTHON}")
  endif()
  execute_process(COMMAND "${python}" ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " arguments "${ARGN}")
    message(FATAL_ERROR "${python} ${arguments} failed:\n${errors}\n"
      "Set -DPython_EXECUTABLE=... to a Python with musa_build and torch.")
  endif()
  set(${result} "${output}" PARENT_SCOPE)
endfunction()

# Sets `result` to the SDK's root, or to NOTFOUND.
function(_musa_find_root result)
  string(TOLOWER "$ENV{MUSA_BUILD_SIMULATOR}" simulator)
  if(NOT simulator MATCHES "^(1|yes|true|on|y|0|no|false|off|n|)$") # docs/variables.md
    message(FATAL_ERROR "MUSA_BUILD_SIMULATOR is '$ENV{MUSA_BUILD_SIMULATOR}'; wanted: 1, yes, true or on; or 0, no, false or off")
  endif()
  if(simulator AND NOT DEFINED MUSA_TOOLKIT_ROOT_DIR AND NOT CMAKE_MUSA_COMPILER)
    _musa_run_python(root -m musa_sim root)
    set(${result} "${root}" PARENT_SCOPE)
    return()
  endif()
  set(beside_compiler)
  if(CMAKE_MUSA_COMPILER)
    get_filename_component(bin "${CMAKE_MUSA_COMPILER}" DIRECTORY)
    get_filename_component(beside_compiler "${bin}" DIRECTORY)
  endif()
  # A compiler that was chosen already comes first: headers and libraries of another SDK would not match it.
  find_program(_musa_mcc NAMES mcc NO_DEFAULT_PATH NO_CACHE PATH_SUFFIXES bin HINTS
    "${MUSA_TOOLKIT_ROOT_DIR}" "${MUSAToolkit_ROOT}" "${beside_compiler}"
    "$ENV{MUSAToolkit_ROOT}" "$ENV{MUSA_HOME}" "$ENV{MUSA_PATH}" "$ENV{MUSA_INSTALL_PATH}")
  if(NOT _musa_mcc)
    find_program(_musa_mcc NAMES mcc NO_CACHE PATH_SUFFIXES bin PATHS /usr/local/musa /opt/musa)
  endif()
  if(_musa_mcc)
    get_filename_component(bin "${_musa_mcc}" DIRECTORY)
    get_filename_component(root "${bin}" DIRECTORY)
    set(${result} "${root}" PARENT_SCOPE)
  else()
    set(${result} NOTFOUND PARENT_SCOPE)
  endif()
endfunction()

# Reads the SDK's version.json: the version, empty if unknown, and whether this is the simulated SDK.
function(_musa_read_version root result simulated)
  set(version "")
  set(${simulated} FALSE PARENT_SCOPE)
  if(EXISTS "${root}/version.json")
    file(READ "${root}/version.json" text)
    if(text MATCHES "\"musa_sim\"")
      set(${simulated} TRUE PARENT_SCOPE)
    endif()
    foreach(module IN ITEMS musa_toolkits musa_toolkit musa_runtime mcc)
      if(text MATCHES "\"${module}\"[ \t\r\n]*:[ \t\r\n]*{[^}]*\"version\"[ \t\r\n]*:[ \t\r\n]*\"([0-9.]+)\"")
        set(version "${CMAKE_MATCH_1}")
        break()
      endif()
    endforeach()
  endif()
  set(${result} "${version}" PARENT_SCOPE)
endfunction()
