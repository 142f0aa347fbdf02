# SPDX-License-Identifier: GPL-3.0-or-later
# Compiler settings shared by all of our own targets (generated code is compiled without the warnings).
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
option(MUSTER_TESTS "build the tests" ON)
option(MUSTER_WERROR "warnings are errors" OFF)
option(MUSTER_FUZZ "build the fuzz targets with libFuzzer (clang)" OFF)
set(MUSTER_SANITIZE "" CACHE STRING "sanitizers: address,undefined or thread")
option(MUSTER_HARDEN "hardening flags" OFF)
option(MUSTER_COVERAGE "gcov instrumentation" OFF)

add_library(muster_flags INTERFACE)
target_compile_definitions(muster_flags INTERFACE _POSIX_C_SOURCE=200809L MUSTER_VERSION="${PROJECT_VERSION}")
target_compile_options(muster_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wswitch-enum
  -Wformat=2 -Wundef $<$<BOOL:${MUSTER_WERROR}>:-Werror>)
if(MUSTER_SANITIZE)
  # sanitizers hide ranges from the compiler, so that it fears every snprintf
  target_compile_options(muster_flags INTERFACE -Wno-format-truncation)
  add_compile_options(-fsanitize=${MUSTER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MUSTER_SANITIZE})
endif()
if(MUSTER_HARDEN)
  add_compile_options(-D_FORTIFY_SOURCE=3 -fstack-protector-strong -fcf-protection)
  add_link_options(-Wl,-z,relro,-z,now)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
if(MUSTER_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
