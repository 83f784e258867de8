#include "probes/files/array_file.hpp"

namespace hakaru::probes::files {

using parallel::Communicator;

WriteTimes ArrayFile::write(const Communicator&, bool, const Pattern&, const std::string&,
                            const Bytes&) const {
  throw Unavailable(absent_);
}

double ArrayFile::read(const Communicator&, bool, const Pattern&, const std::string&,
                       Bytes&) const {
  throw Unavailable(absent_);
}

std::size_t ArrayFile::begin(const Communicator&, const std::string&) const {
  throw Unavailable(absent_);
}

}  // namespace hakaru::probes::files
