# What goes below a prefix. The prefix may be moved afterwards. Three components, which are the Debian packages too:
#   library      the shared library that programs run with
#   development  headers, the static library, CMake and pkg-config files
#   command      the headwise command with its manual pages and completion scripts
include(CMakePackageConfigHelpers)

install(TARGETS headwise_static headwise_shared EXPORT headwiseTargets
        LIBRARY COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE COMPONENT development)
install(DIRECTORY include/headwise TYPE INCLUDE COMPONENT development FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/headwise)
install(EXPORT headwiseTargets NAMESPACE headwise:: DESTINATION ${package_folder} COMPONENT development)
configure_package_config_file(cmake/headwiseConfig.cmake.in headwiseConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(headwiseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/headwiseConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/headwiseConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT development)

# From the folder of the .pc files back to the prefix.
file(RELATIVE_PATH HEADWISE_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" HEADWISE_PC_PREFIX ${HEADWISE_PC_PREFIX})
list(TRANSFORM HEADWISE_SYSTEM_LIBRARIES PREPEND -l OUTPUT_VARIABLE HEADWISE_PC_LIBRARIES)
list(JOIN HEADWISE_PC_LIBRARIES " " HEADWISE_PC_LIBRARIES)
foreach(name headwise headwise-static)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
endforeach()

if(TARGET headwise_tool)
  install(TARGETS headwise_tool RUNTIME COMPONENT command)
  # Manual pages and completion scripts, which the command has written.
  install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR} COMPONENT command OPTIONAL)
endif()
