# CMake: SFrame stack-trace data for targets of a project.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   list(APPEND CMAKE_MODULE_PATH "/usr/share/cfi2sframe/contrib/cmake")
#   include(Cfi2sframe)
#   add_executable(hello hello.c)
#   cfi2sframe_convert(hello)
#   cfi2sframe_convert(mylib OPTIONS --format=2)
#
# For all programs and shared libraries of a project, behind project():
#   cfi2sframe_convert_all()
# or, with no change to it (CMake 3.15):
#   cmake -DCMAKE_PROJECT_INCLUDE=.../Cfi2sframeAll.cmake
#
# The file is converted after each link.  Without the program a message says
# so once and the targets are built as always; with REQUIRED it is an error.
# A target that cannot be converted (32-bit, another machine) is a note; with
# OPTIONS --skip-unconvertible=no it is an error.

include_guard(GLOBAL)
find_program(CFI2SFRAME_EXECUTABLE cfi2sframe
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

# The rules of the languages that are enabled, for this folder and those below
# it: a target can be given commands only where it is defined.
function(cfi2sframe_convert_all)
  cmake_parse_arguments(PARSE_ARGV 0 arg "REQUIRED" "" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "cfi2sframe_convert_all: unknown argument ${arg_UNPARSED_ARGUMENTS}")
  endif()
  _cfi2sframe_find("${arg_REQUIRED}")
  set_property(GLOBAL PROPERTY _cfi2sframe_all OPTIONS ${arg_OPTIONS})
  set(command "\"${CFI2SFRAME_EXECUTABLE}\" --hook")
  foreach(option IN LISTS arg_OPTIONS)
    string(APPEND command " \"${option}\"")
  endforeach()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(language IN LISTS languages)
    foreach(kind LINK_EXECUTABLE CREATE_SHARED_LIBRARY CREATE_SHARED_MODULE)
      set(rule "${CMAKE_${language}_${kind}}")
      # A project in a project comes by twice.
      if(rule AND NOT rule MATCHES " --hook ")
        set(CMAKE_${language}_${kind} "${rule};${command} -- <TARGET>"
          PARENT_SCOPE)
      endif()
    endforeach()
  endforeach()
endfunction()

# project() may name no language, or not all.  The rules of the others are there
# when they are enabled, and have to be changed there.
macro(enable_language)
  _enable_language(${ARGV})
  get_property(_cfi2sframe_all GLOBAL PROPERTY _cfi2sframe_all)
  if(_cfi2sframe_all)
    cfi2sframe_convert_all(${_cfi2sframe_all})
  endif()
endmacro()
