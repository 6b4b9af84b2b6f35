# CMake: SFrame stack-trace data for targets of a project.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   list(APPEND CMAKE_MODULE_PATH "/usr/share/cfi2sframe/contrib/cmake")
#   include(Cfi2sframe)
#   add_executable(hello hello.c)
#   cfi2sframe_convert(hello)
#   cfi2sframe_convert(mylib OPTIONS --format=2)
#
# The file is converted after each link.  Without the program a message says
# so once and the targets are built as always; with REQUIRED it is an error.
# A target that cannot be converted (32-bit, another machine) is a note; with
# OPTIONS --skip-unconvertible=no it is an error.

include_guard(GLOBAL)
find_program(CFI2SFRAME_EXECUTABLE cfi2sframe
  DOC "Converts .eh_frame to SFrame in linked ELF files")

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
  if(NOT CFI2SFRAME_EXECUTABLE)
    if(arg_REQUIRED)
      message(FATAL_ERROR "cfi2sframe not found")
    endif()
    get_property(told GLOBAL PROPERTY _cfi2sframe_missing_told)
    if(NOT told)
      message(STATUS "cfi2sframe not found: no SFrame data")
      set_property(GLOBAL PROPERTY _cfi2sframe_missing_told TRUE)
    endif()
    return()
  endif()
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CFI2SFRAME_EXECUTABLE} --hook ${arg_OPTIONS}
            -- $<TARGET_FILE:${target}>
    VERBATIM)
endfunction()
