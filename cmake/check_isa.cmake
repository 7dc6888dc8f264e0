# An AVX instruction outside the kernel files would end the process on an older CPU, so it fails the build. Sanitizers
# and coverage add symbols of their own to the kernel objects; there only the baseline is looked at.
if(NOT HEADWISE_SANITIZE AND NOT CMAKE_CXX_FLAGS MATCHES "--coverage")
  set(kernel_objects --isa ${HEADWISE_ISA_OBJECTS})
endif()
add_custom_command(TARGET headwise_static POST_BUILD COMMAND_EXPAND_LISTS VERBATIM
                   COMMENT "Checking that no baseline object holds AVX code"
                   COMMAND ${PROJECT_SOURCE_DIR}/tools/check_isa.sh --baseline ${HEADWISE_BASELINE_OBJECTS} ${kernel_objects})
