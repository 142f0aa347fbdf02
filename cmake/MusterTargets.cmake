# SPDX-License-Identifier: GPL-3.0-or-later

# muster_library(name [DEPS lib…] [PRIVATE_DEPS lib…] [INCLUDE dir…]): static library of every .c in this folder and the
# folders named by SUBDIRS. Include roots: lib/ and the top folder.
function(muster_library name)
  cmake_parse_arguments(A "" "" "DEPS;PRIVATE_DEPS;INCLUDE;SUBDIRS;EXCLUDE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
  foreach(dir ${A_SUBDIRS})
    file(GLOB more CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.c)
    list(APPEND sources ${more})
  endforeach()
  foreach(file ${A_EXCLUDE})
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  if(NOT sources)
    add_library(${name} INTERFACE)
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/lib ${CMAKE_SOURCE_DIR} ${A_INCLUDE})
  target_link_libraries(${name} PUBLIC ${A_DEPS} PRIVATE muster_flags ${A_PRIVATE_DEPS})
endfunction()

# muster_registry(kind folder symbol): writes ${kind}_registry.c, the array of `const struct KIND_ops KIND_NAME` found in
# folder/*.c, in order of file name. Adding an entry is adding one file NAME.c that defines KIND_NAME.
function(muster_registry kind folder header out_var)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.c)
  list(SORT files)
  set(externs "")
  set(entries "")
  set(count 0)
  foreach(file ${files})
    get_filename_component(stem ${file} NAME_WE)
    string(APPEND externs "extern const struct ${kind}_ops ${kind}_${stem};\n")
    string(APPEND entries "    &${kind}_${stem},\n")
    math(EXPR count "${count}+1")
  endforeach()
  set(path ${CMAKE_CURRENT_BINARY_DIR}/${kind}_registry.c)
  file(CONFIGURE OUTPUT ${path} CONTENT "/* written by CMake from the files of the folder */
#include \"${header}\"

${externs}
const struct ${kind}_ops *const ${kind}_registry[] = {
${entries}};
const size_t ${kind}_registry_n = ${count};
" @ONLY)
  set(${out_var} ${path} PARENT_SCOPE)
endfunction()

# muster_unit_tests(folder DEPS lib…): one cmocka program per test_*.c of the folder, label unit.
function(muster_unit_tests folder)
  cmake_parse_arguments(A "" "LABEL" "DEPS;INCLUDE" ${ARGN})
  if(NOT A_LABEL)
    set(A_LABEL unit)
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/test_*.c)
  foreach(file ${files})
    get_filename_component(stem ${file} NAME_WE)
    add_executable(${stem} ${file})
    target_include_directories(${stem} PRIVATE ${CMAKE_SOURCE_DIR}/tests ${A_INCLUDE})
    target_link_libraries(${stem} PRIVATE ${A_DEPS} PkgConfig::CMOCKA muster_flags)
    target_compile_definitions(${stem} PRIVATE TEST_SOURCE_DIR="${CMAKE_SOURCE_DIR}" TEST_BINARY_DIR="${CMAKE_BINARY_DIR}")
    add_test(NAME ${stem} COMMAND ${stem})
    set_tests_properties(${stem} PROPERTIES LABELS ${A_LABEL} TIMEOUT 300)
  endforeach()
endfunction()
