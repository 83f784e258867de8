// The OTF2 library's own error lines, kept out of what people see.
#pragma once

#include <otf2/otf2.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string>

namespace hakaru::trace {

// What the library would print; its last words explain a failure.
struct LibraryErrors {
  LibraryErrors() : before(OTF2_Error_RegisterCallback(remember, this)) {}
  ~LibraryErrors() { OTF2_Error_RegisterCallback(before, nullptr); }

  static OTF2_ErrorCode remember(void* data, const char*, std::uint64_t, const char*,
                                 OTF2_ErrorCode code, const char* format, va_list arguments) {
    char text[512] = "";
    if (format != nullptr) std::vsnprintf(text, sizeof text, format, arguments);
    static_cast<LibraryErrors*>(data)->last = text;
    return code;
  }

  OTF2_ErrorCallback before;
  std::string last;
};

}  // namespace hakaru::trace
