# CMake: SFrame stack-trace data for all of a project that is not changed.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   cmake -DCMAKE_PROJECT_INCLUDE=DIR/Cfi2sframeAll.cmake ...
#
# DIR is the folder of this file, where Cfi2sframe.cmake is, too; that says where it
# may be.  -DCFI2SFRAME_OPTIONS="--format=2;-v" gives cfi2sframe options.

include("${CMAKE_CURRENT_LIST_DIR}/Cfi2sframe.cmake")
cfi2sframe_convert_all(OPTIONS ${CFI2SFRAME_OPTIONS})
