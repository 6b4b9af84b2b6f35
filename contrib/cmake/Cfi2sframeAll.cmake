# CMake: SFrame stack-trace data for all of a project that is not changed:
#   cmake -DCMAKE_PROJECT_INCLUDE=/usr/share/cfi2sframe/contrib/cmake/Cfi2sframeAll.cmake
# CFI2SFRAME_OPTIONS has options for cfi2sframe, as a list.
# SPDX-License-Identifier: LGPL-2.1-or-later

include("${CMAKE_CURRENT_LIST_DIR}/Cfi2sframe.cmake")
cfi2sframe_convert_all(OPTIONS ${CFI2SFRAME_OPTIONS})
