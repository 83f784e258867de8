#include "native/trace/export/export.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "native/base/atomic_file.hpp"
#include "native/base/require.hpp"
#include "native/trace/export/output.hpp"

namespace hakaru::trace {

Output::Output(std::string path)
    : path_(std::move(path)), temporary_(fmt::format("{}.{}.part", path_, getpid())) {
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) fail(errno);
}

Output::~Output() {
  if (file_ != nullptr) std::fclose(file_);
  if (!there_) unlink(temporary_.c_str());
}

void Output::fail(int error) const {
  throw base::UserError(
      base::ExitCode::environment,
      base::explain(fmt::format("cannot write {}", path_), std::strerror(error),
                    error == ENOSPC ? "free some space" : "choose a file that you may write"));
}

void Output::flush() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) fail(errno);
  bytes_ += buffer_.size();
  buffer_.clear();
}

void Output::close() {
  flush();
  std::FILE* const file = std::exchange(file_, nullptr);
  if (std::fclose(file) != 0) fail(errno);
}

void Output::put_in_place() {
  const std::string why = base::put_in_place(temporary_, path_);
  base::require_environment(why.empty(), fmt::format("cannot write {}", path_), why,
                            "choose a file that you may write");
  there_ = true;
}

}  // namespace hakaru::trace
