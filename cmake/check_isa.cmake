# An AVX instruction outside the kernel files would end the process on an older CPU, so it fails the build. Sanitizers
# and coverage add symbols of their own to the kernel objects; there only the baseline is looked at.
set(check ${PROJECT_SOURCE_DIR}/tools/check_isa.sh)
add_custom_command(TARGET headwise_static POST_BUILD COMMAND_EXPAND_LISTS VERBATIM
                   COMMENT "Checking that no baseline object holds AVX code"
                   COMMAND ${check} --baseline ${HEADWISE_BASELINE_OBJECTS})
if(NOT HEADWISE_SANITIZE AND NOT CMAKE_CXX_FLAGS MATCHES "--coverage")
  foreach(library headwise_static headwise_shared)
    add_custom_command(TARGET ${library} POST_BUILD COMMAND_EXPAND_LISTS VERBATIM
                       COMMENT "Checking that the library holds AVX code in its kernels only"
                       COMMAND ${check} --isa ${HEADWISE_ISA_OBJECTS} --library $<TARGET_FILE:${library}>)
  endforeach()
endif()
