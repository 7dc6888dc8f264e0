/* What leaves the library: everything that is marked HEADWISE_API, and nothing else, since headwise is built with
 * hidden symbols. An exception class needs the mark too, or a host could not catch what the shared library throws. A
 * class within a marked one is marked with it; HEADWISE_LOCAL takes that back for its private parts. */
#ifndef HEADWISE_API_H
#define HEADWISE_API_H

#if defined(__GNUC__)
#define HEADWISE_API __attribute__((visibility("default")))
#define HEADWISE_LOCAL __attribute__((visibility("hidden")))
#else
#define HEADWISE_API
#define HEADWISE_LOCAL
#endif

#endif
