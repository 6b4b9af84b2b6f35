# CMake: SFrame stack-trace data for targets of a project.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   list(APPEND CMAKE_MODULE_PATH "/usr/share/cfi2sframe/contrib/cmake")
#   include(Cfi2sframe)
#   add_executable(hello hello.c)
#   cfi2sframe_convert(hello)
#   cfi2sframe_convert(mylib OPTIONS --format=2)
#
# For all programs and shared libraries of a project, behind project(), and in no
# function, which would keep it to itself:
#   cfi2sframe_convert_all()
# or, with no change to it (CMake 3.15):
#   cmake -DCMAKE_PROJECT_INCLUDE=.../Cfi2sframeAll.cmake
#
# The file is converted after each link.  Without the program a message says
# so once and the targets are built as always; with REQUIRED it is an error.
# A target that cannot be converted (32-bit, another machine) is a note; with
# OPTIONS --skip-unconvertible=no it is an error.

include_guard(GLOBAL)
# In a cross build there may be one of the target, which does not run here.
find_program(CFI2SFRAME_EXECUTABLE cfi2sframe NO_CMAKE_FIND_ROOT_PATH
  DOC "Converts .eh_frame to SFrame in linked ELF files")

# Returns from the caller if the program is missing.
macro(_cfi2sframe_find required)
  if(NOT CFI2SFRAME_EXECUTABLE)
    if(${required})
      message(FATAL_ERROR "cfi2sframe not found")
    endif()
    get_property(told GLOBAL PROPERTY _cfi2sframe_missing_told)
    if(NOT told)
      message(STATUS "cfi2sframe not found: no SFrame data")
      set_property(GLOBAL PROPERTY _cfi2sframe_missing_told TRUE)
    endif()
    return()
  endif()
endmacro()

function(cfi2sframe_convert target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "REQUIRED" "" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "cfi2sframe_convert: unknown argument ${arg_UNPARSED_ARGUMENTS}")
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)$")
    message(FATAL_ERROR
      "cfi2sframe_convert: ${target} is not a program or shared library")
  endif()
  _cfi2sframe_find("${arg_REQUIRED}")
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CFI2SFRAME_EXECUTABLE} --hook ${arg_OPTIONS}
            -- $<TARGET_FILE:${target}>
    VERBATIM)
endfunction()

# The rules by which files of LANGUAGE are linked, in _cfi2sframe_rules.  A
# variable set here for all would be one of the folder that includes this first.
macro(_cfi2sframe_rules_of language)
  set(_cfi2sframe_rules "CMAKE_${language}_LINK_EXECUTABLE"
    "CMAKE_${language}_CREATE_SHARED_LIBRARY"
    "CMAKE_${language}_CREATE_SHARED_MODULE")
endmacro()

# For functions: the rule in the variable NAME of the caller, if there is one.
macro(_cfi2sframe_add_to name)
  # A project in a project comes by twice.
  if(${name} AND NOT "${${name}}" MATCHES " --hook ")
    set(${name} "${${name}};${_cfi2sframe_command} -- <TARGET>" PARENT_SCOPE)
  endif()
endmacro()

# The rules of the languages that are enabled, for this folder and those below
# it: a target can be given commands only where it is defined.
function(cfi2sframe_convert_all)
  cmake_parse_arguments(PARSE_ARGV 0 arg "REQUIRED" "" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "cfi2sframe_convert_all: unknown argument ${arg_UNPARSED_ARGUMENTS}")
  endif()
  _cfi2sframe_find("${arg_REQUIRED}")
  set(_cfi2sframe_command "\"${CFI2SFRAME_EXECUTABLE}\" --hook")
  foreach(option IN LISTS arg_OPTIONS)
    string(APPEND _cfi2sframe_command " \"${option}\"")
  endforeach()
  set(_cfi2sframe_command "${_cfi2sframe_command}" PARENT_SCOPE)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(language IN LISTS languages)
    _cfi2sframe_rules_of(${language})
    foreach(rule IN LISTS _cfi2sframe_rules)
      _cfi2sframe_add_to(${rule})
    endforeach()
  endforeach()
endfunction()

# project() may name no language, or not all.  The rules of the others are set
# when they are enabled, and are changed there, if that is where
# cfi2sframe_convert_all() holds.  An enable_language() of our own would not
# leave the project one: CMake keeps one former command of a name, no more.
# A language that is not in the list below needs the call behind its
# enable_language().
function(_cfi2sframe_rule_seen name access)
  if(access STREQUAL "MODIFIED_ACCESS" AND _cfi2sframe_command)
    _cfi2sframe_add_to(${name})
  endif()
endfunction()

foreach(language IN ITEMS C CXX OBJC OBJCXX CUDA HIP Fortran Swift ASM ASM_NASM)
  _cfi2sframe_rules_of(${language})
  foreach(rule IN LISTS _cfi2sframe_rules)
    variable_watch(${rule} _cfi2sframe_rule_seen)
  endforeach()
endforeach()
