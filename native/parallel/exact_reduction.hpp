// Sums over all ranks that depend neither on the order of reduction nor on the number of ranks: an
// MPI datatype and operation for ExactSum, and functions that use them. All functions are
// collective and give every rank the same bits.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "native/parallel/communicator.hpp"
#include "native/parallel/exact_sum.hpp"

namespace hakaru::parallel {

// Bytes of one sum in a message.
constexpr std::size_t exact_sum_bytes = sizeof(ExactImage);

// For calls that are not wrapped here (MPI_Reduce, MPI_Iallreduce, ...): elements are ExactImage.
// Made at first use, freed in MPI_Finalize. Not collective.
MPI_Datatype exact_sum_datatype();
MPI_Op exact_sum_operation();

// The sum of what each rank has added, one MPI_Allreduce of exact_sum_bytes.
double exact_sum(const Communicator& communicator, const ExactSum& sum);
// The sum of all values of all ranks; ranks may have different numbers of values, or none.
double exact_sum(const Communicator& communicator, std::span<const double> values);
double exact_sum(const Communicator& communicator, double value);
std::complex<double> exact_sum(const Communicator& communicator, std::complex<double> value);

// Element by element, one MPI_Allreduce for all; the same number of sums on each rank.
std::vector<double> exact_sums(const Communicator& communicator, std::span<const ExactSum> sums);

}  // namespace hakaru::parallel
