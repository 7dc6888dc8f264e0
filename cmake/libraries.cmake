# The libraries, all of the same objects:
#   headwise         every symbol within reach: for the tests of the rooms, never installed
#   headwise_static  one object whose private symbols are local, so that they can't meet those of a program
#   headwise_shared  shows what exports.map lists
# headwise::headwise is one of the last two, as BUILD_SHARED_LIBS says.
get_property(rooms GLOBAL PROPERTY HEADWISE_ROOMS)
get_property(isa_rooms GLOBAL PROPERTY HEADWISE_ISA_ROOMS)
list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE HEADWISE_BASELINE_OBJECTS)
list(TRANSFORM isa_rooms REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE HEADWISE_ISA_OBJECTS)
set(HEADWISE_OBJECTS ${HEADWISE_BASELINE_OBJECTS} ${HEADWISE_ISA_OBJECTS})

add_library(headwise STATIC EXCLUDE_FROM_ALL ${HEADWISE_OBJECTS})
set_target_properties(headwise PROPERTIES OUTPUT_NAME headwise_rooms)
target_link_libraries(headwise PUBLIC headwise_include INTERFACE OpenMP::OpenMP_CXX ${CMAKE_DL_LIBS})

# What both public libraries say to those who use them: where the headers are, and nothing else.
function(headwise_library name suffix)
  add_library(headwise::${suffix} ALIAS ${name})
  target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(${name} PROPERTIES OUTPUT_NAME headwise EXPORT_NAME ${suffix} LINKER_LANGUAGE CXX)
endfunction()

set(exports ${CMAKE_CURRENT_LIST_DIR}/exports.map)
file(STRINGS ${exports} public_symbols REGEX "^    [a-zA-Z_].*;")
list(TRANSFORM public_symbols REPLACE " *(.+);" "--keep-global-symbol=\\1")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${exports})

# The groups of inline functions are dissolved, or the linker of a program could drop ours for those of its own. GNU ld
# does that (lld since 19), whatever linker is the default.
set(private_object ${CMAKE_CURRENT_BINARY_DIR}/headwise_private.o)
add_custom_command(
  OUTPUT ${private_object} DEPENDS ${HEADWISE_OBJECTS} COMMAND_EXPAND_LISTS VERBATIM
  COMMENT "Making private symbols local"
  COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -fuse-ld=bfd -Wl,--force-group-allocation,--build-id=none
          -o ${private_object}.all ${HEADWISE_OBJECTS}
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden --wildcard ${public_symbols} ${private_object}.all ${private_object}
  COMMAND ${CMAKE_COMMAND} -E rm ${private_object}.all)
# By name, so that those who use the library need no package files; the last two are for C programs.
set(HEADWISE_SYSTEM_LIBRARIES ${OpenMP_CXX_LIB_NAMES} ${CMAKE_DL_LIBS} stdc++ m)
add_library(headwise_static STATIC ${private_object})
headwise_library(headwise_static static)
target_link_libraries(headwise_static INTERFACE ${HEADWISE_SYSTEM_LIBRARIES})

add_library(headwise_shared SHARED ${HEADWISE_OBJECTS})
headwise_library(headwise_shared shared)
target_link_libraries(headwise_shared PRIVATE OpenMP::OpenMP_CXX ${CMAKE_DL_LIBS})
target_link_options(headwise_shared PRIVATE -Wl,--version-script=${exports} -Wl,-Bsymbolic-functions -Wl,-z,now)
if(NOT HEADWISE_SANITIZE)
  target_link_options(headwise_shared PRIVATE -Wl,--no-undefined)
endif()
set_target_properties(headwise_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${HEADWISE_ABI} LINK_DEPENDS ${exports})

if(BUILD_SHARED_LIBS)
  set(HEADWISE_DEFAULT shared)
else()
  set(HEADWISE_DEFAULT static)
endif()
add_library(headwise::headwise ALIAS headwise_${HEADWISE_DEFAULT})
if(NOT HEADWISE_INSTALL)  # within another project only what it links is built
  set_target_properties(headwise_static headwise_shared PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
