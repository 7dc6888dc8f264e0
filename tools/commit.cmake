# Writes OUTPUT, a header with the commit that SOURCE is at. Runs with every build and leaves the file alone when it
# would stay the same, so that nothing is compiled again. A folder inside somebody else's repository is "unknown" too.
cmake_minimum_required(VERSION 3.25)
set(commit "unknown")
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-prefix OUTPUT_VARIABLE prefix RESULT_VARIABLE failed
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(failed STREQUAL "0" AND prefix STREQUAL "")
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 OUTPUT_VARIABLE described
                  RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(failed STREQUAL "0" AND described MATCHES "^[A-Za-z0-9._/+-]+$")
    set(commit "${described}")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define HEADWISE_COMMIT \"@commit@\"\n" @ONLY)
