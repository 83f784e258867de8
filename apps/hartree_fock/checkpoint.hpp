// The density of a calculation in a file, to go on from.
#pragma once

#include <string>

#include "apps/hartree_fock/settings.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::hartree_fock {

inline constexpr std::size_t checkpoint_header_bytes = 1024;

// Both collective. Writing: the file is whole or as it was before; throws UserError(environment).
void write_checkpoint(const std::string& path, const Settings& settings, int functions,
                      const Matrix& density, const parallel::Communicator& world);
// Throws UserError: environment when it cannot be read, usage when it is damaged, holds numbers
// that are not finite, or belongs to another molecule or basis.
Matrix read_checkpoint(const std::string& path, const Settings& settings, int functions,
                       const parallel::Communicator& world);

}  // namespace hakaru::apps::hartree_fock
