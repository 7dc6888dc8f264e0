// Every form of operator new and delete, for tests that watch them: new_operators.cpp has the operators, the test these
// two functions. All forms, because a sanitizer or the C++ library would bring those that are missing, and memory of
// theirs would come to our delete.
#pragma once

#include <cstddef>

// Memory that std::free() takes, or nullptr, which makes the operator fail; an alignment of 0 asks for the ordinary
// one. `caller` is an address in the code that asks.
void* new_memory(std::size_t size, std::size_t alignment, const void* caller) noexcept;
void delete_memory(void* memory) noexcept;

// What most tests give after they have looked.
void* plain_memory(std::size_t size, std::size_t alignment) noexcept;
