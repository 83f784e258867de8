// The phases of a repetition.
#pragma once

namespace hakaru::apps::hartree_fock::phase {

inline constexpr const char *normalise = "normalise", *one_electron = "one_electron",
                            *pairs = "pairs", *two_electron = "two_electron", *io = "io",
                            *fock = "fock", *scf = "scf", *exchange = "exchange";

}  // namespace hakaru::apps::hartree_fock::phase
