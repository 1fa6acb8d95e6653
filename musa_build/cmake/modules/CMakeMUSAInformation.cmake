# The rules and flags for mcc. CMake reads this file in every run, for each directory that enables the language.
set(CMAKE_MUSA_OUTPUT_EXTENSION .o)
set(CMAKE_INCLUDE_FLAG_MUSA "-I")
set(CMAKE_INCLUDE_SYSTEM_FLAG_MUSA "-isystem ")
set(CMAKE_MUSA_COMPILE_OPTIONS_PIC "-fPIC")
set(CMAKE_MUSA_COMPILE_OPTIONS_PIE "-fPIE")
set(CMAKE_MUSA_COMPILE_OPTIONS_VISIBILITY "-fvisibility=")
set(CMAKE_MUSA_RESPONSE_FILE_FLAG "@")
set(CMAKE_MUSA_VERBOSE_FLAG "-v")
set(CMAKE_SHARED_LIBRARY_MUSA_FLAGS "-fPIC")
set(CMAKE_SHARED_LIBRARY_CREATE_MUSA_FLAGS "-shared")
set(CMAKE_SHARED_LIBRARY_SONAME_MUSA_FLAG "-Wl,-soname,")
set(CMAKE_SHARED_LIBRARY_RUNTIME_MUSA_FLAG "-Wl,-rpath,")
set(CMAKE_SHARED_LIBRARY_RUNTIME_MUSA_FLAG_SEP ":")
set(CMAKE_EXECUTABLE_RUNTIME_MUSA_FLAG "-Wl,-rpath,")
set(CMAKE_EXECUTABLE_RUNTIME_MUSA_FLAG_SEP ":")
set(CMAKE_SHARED_LIBRARY_RPATH_LINK_MUSA_FLAG "-Wl,-rpath-link,")
# The Ninja generator reads the first line, the Makefile generators the other two.
set(CMAKE_DEPFILE_FLAGS_MUSA "-MD -MT <DEP_TARGET> -MF <DEP_FILE>")
set(CMAKE_MUSA_DEPFILE_FORMAT gcc)
set(CMAKE_MUSA_DEPENDS_USE_COMPILER TRUE)

set(CMAKE_MUSA_FLAGS_INIT "$ENV{MUSAFLAGS} ${CMAKE_MUSA_FLAGS_INIT}")
set(CMAKE_MUSA_FLAGS_DEBUG_INIT " -g")
set(CMAKE_MUSA_FLAGS_RELEASE_INIT " -O3 -DNDEBUG")
set(CMAKE_MUSA_FLAGS_RELWITHDEBINFO_INIT " -O2 -g -DNDEBUG")
set(CMAKE_MUSA_FLAGS_MINSIZEREL_INIT " -Os -DNDEBUG")
include(CMakeCommonLanguageInclude)
cmake_initialize_per_config_variable(CMAKE_MUSA_FLAGS "Flags used by the MUSA compiler")

# mcc defines __CUDA__, as clang does for CUDA, and headers would take it for NVIDIA's compiler. So -U__CUDA__ is in the
# rule, where setting CMAKE_MUSA_FLAGS cannot remove it. `-x musa` is for sources that are not named .mu. CMake supports
# compiler launchers for a fixed list of languages, so ours is part of the rule. ccache does not know MUSA, so it runs
# through a script.
set(_musa_launcher "")
if(CMAKE_MUSA_COMPILER_LAUNCHER MATCHES "(^|/)ccache$")
  string(SHA256 _musa_launcher "${CMAKE_MUSA_COMPILER};${CMAKE_MUSA_COMPILER_VERSION}")
  get_filename_component(_musa_package "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
  set(_musa_launcher
    "\"${_musa_package}/toolchain/launchers/mcc_launcher.sh\" string:${_musa_launcher} \"${CMAKE_MUSA_COMPILER_LAUNCHER}\" ")
elseif(CMAKE_MUSA_COMPILER_LAUNCHER)
  list(JOIN CMAKE_MUSA_COMPILER_LAUNCHER " " _musa_launcher)
  string(APPEND _musa_launcher " ")
endif()
if(NOT CMAKE_MUSA_COMPILE_OBJECT)
  set(CMAKE_MUSA_COMPILE_OBJECT
    "${_musa_launcher}<CMAKE_MUSA_COMPILER> -U__CUDA__ <DEFINES> <INCLUDES> <FLAGS> -o <OBJECT> -x musa -c <SOURCE>")
endif()
# mcc links only targets without any C++ source.
if(NOT CMAKE_MUSA_CREATE_SHARED_LIBRARY)
  string(CONCAT CMAKE_MUSA_CREATE_SHARED_LIBRARY
    "<CMAKE_MUSA_COMPILER> <CMAKE_SHARED_LIBRARY_MUSA_FLAGS> <LANGUAGE_COMPILE_FLAGS> <LINK_FLAGS> "
    "<CMAKE_SHARED_LIBRARY_CREATE_MUSA_FLAGS> <SONAME_FLAG><TARGET_SONAME> -o <TARGET> <OBJECTS> <LINK_LIBRARIES>")
endif()
if(NOT CMAKE_MUSA_CREATE_SHARED_MODULE)
  set(CMAKE_MUSA_CREATE_SHARED_MODULE "${CMAKE_MUSA_CREATE_SHARED_LIBRARY}")
endif()
if(NOT CMAKE_MUSA_LINK_EXECUTABLE)
  set(CMAKE_MUSA_LINK_EXECUTABLE
    "<CMAKE_MUSA_COMPILER> <FLAGS> <CMAKE_MUSA_LINK_FLAGS> <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
endif()
set(CMAKE_MUSA_ARCHIVE_CREATE "<CMAKE_AR> qc <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_MUSA_ARCHIVE_APPEND "<CMAKE_AR> q <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_MUSA_ARCHIVE_FINISH "<CMAKE_RANLIB> <TARGET>")

# Architectures: the property MUSA_ARCHITECTURES of a target ("22;31", or OFF to add none), else the variable
# CMAKE_MUSA_ARCHITECTURES. They are directory options with generator expressions, because CMake has no other way to pass
# such a property to a command. A changed list causes a rebuild with every generator.
include(${CMAKE_CURRENT_LIST_DIR}/MusaArchitectures.cmake)
_musa_default_architectures()
_musa_add_architecture_options()

set(CMAKE_MUSA_INFORMATION_LOADED 1)
