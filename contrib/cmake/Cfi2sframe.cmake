# CMake: SFrame stack-trace data for targets of a project.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# DIR is the folder of this file: /usr/share/cfi2sframe/contrib/cmake where a
# package has installed it, /usr/local/share/... after a plain "make install", or
# one of the project with a copy.
#
# Some targets, each in the folder that defines it:
#   list(APPEND CMAKE_MODULE_PATH "DIR")
#   include(Cfi2sframe)
#   add_executable(hello hello.c)
#   cfi2sframe_convert(hello)
#   cfi2sframe_convert(mylib OPTIONS --format=2)
#
# All programs and shared libraries of a project: this line behind project(), and
# outside of functions, since what a function sets ends with it:
#   cfi2sframe_convert_all()
#
# The same for a project that is not changed (CMake 3.15):
#   cmake -DCMAKE_PROJECT_INCLUDE=DIR/Cfi2sframeAll.cmake ...
#
# A target is converted after each link.  If cfi2sframe is missing, a message says
# so once, and the targets are built as always; with REQUIRED it is an error.
# A target that cannot be converted (32-bit, another machine) is a note; with
# OPTIONS --skip-unconvertible=no it is an error.

include_guard(GLOBAL)
# In a cross build the target's system may have the program, too, but it does not
# run here.
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

# Sets _cfi2sframe_rules to the names of the rules by which LANGUAGE is linked.  It
# is a macro and not a variable, because a variable would be seen only below the
# folder that includes this file first.
macro(_cfi2sframe_rules_of language)
  set(_cfi2sframe_rules "CMAKE_${language}_LINK_EXECUTABLE"
    "CMAKE_${language}_CREATE_SHARED_LIBRARY"
    "CMAKE_${language}_CREATE_SHARED_MODULE")
endmacro()

# Has the rule NAME, if there is one, convert what it links.  A macro, to be called
# by functions: the rule is set where their caller is.
macro(_cfi2sframe_add_to name)
  # In a project within a project it has been changed before.
  if(${name} AND NOT "${${name}}" MATCHES " --hook ")
    set(${name} "${${name}};${_cfi2sframe_command} -- <TARGET>" PARENT_SCOPE)
  endif()
endmacro()

# Changes the rules of all languages that are enabled, for this folder and those
# below it.  Commands for each target would not do: CMake takes them only in the
# folder that defines the target.
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

# A language may be enabled later than cfi2sframe_convert_all() is called.  CMake
# sets the language's rules then.  This function watches the rules, and changes them
# in the folders for which the call holds.  An enable_language() of this file would
# not do: CMake keeps one former command of a name, and the project may need that for
# one of its own.  For a language that is not in the list below, call
# cfi2sframe_convert_all() behind its enable_language().
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
