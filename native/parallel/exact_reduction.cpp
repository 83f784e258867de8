#include "native/parallel/exact_reduction.hpp"

#include <array>

namespace hakaru::parallel {

namespace {

void merge_images(void* from, void* into, int* count, MPI_Datatype*) {
  const auto* source = static_cast<const ExactImage*>(from);
  auto* target = static_cast<ExactImage*>(into);
  for (int i = 0; i < *count; ++i) target[i].merge(source[i]);
}

struct Handles {
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  MPI_Op operation = MPI_OP_NULL;
};

// MPI_Finalize begins with the attributes of MPI_COMM_SELF (MPI 3.1, 8.7.1).
int free_handles(MPI_Comm, int, void* attribute, void*) {
  auto* handles = static_cast<Handles*>(attribute);
  MPI_Op_free(&handles->operation);
  return MPI_Type_free(&handles->datatype);
}

Handles& handles() {
  static Handles made;
  if (made.operation != MPI_OP_NULL) return made;
  HAKARU_MPI(MPI_Type_contiguous(sizeof(ExactImage) / sizeof(std::uint64_t), MPI_UINT64_T,
                                 &made.datatype));
  HAKARU_MPI(MPI_Type_commit(&made.datatype));
  HAKARU_MPI(MPI_Op_create(merge_images, 1, &made.operation));
  int key = MPI_KEYVAL_INVALID;
  HAKARU_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_handles, &key, nullptr));
  HAKARU_MPI(MPI_Comm_set_attr(MPI_COMM_SELF, key, &made));
  HAKARU_MPI(MPI_Comm_free_keyval(&key));
  return made;
}

}  // namespace

MPI_Datatype exact_sum_datatype() { return handles().datatype; }

MPI_Op exact_sum_operation() { return handles().operation; }

std::vector<double> exact_sums(const Communicator& communicator, std::span<const ExactSum> sums) {
  std::vector<ExactImage> images;
  for (const ExactSum& sum : sums) images.push_back(sum.image());
  HAKARU_MPI(MPI_Allreduce(MPI_IN_PLACE, images.data(), static_cast<int>(images.size()),
                           exact_sum_datatype(), exact_sum_operation(), communicator.handle()));
  std::vector<double> values;
  for (const ExactImage& image : images) values.push_back(image.value());
  return values;
}

double exact_sum(const Communicator& communicator, const ExactSum& sum) {
  return exact_sums(communicator, {&sum, 1}).front();
}

double exact_sum(const Communicator& communicator, std::span<const double> values) {
  ExactSum sum;
  sum.add(values);
  return exact_sum(communicator, sum);
}

double exact_sum(const Communicator& communicator, double value) {
  return exact_sum(communicator, std::span<const double>(&value, 1));
}

std::complex<double> exact_sum(const Communicator& communicator, std::complex<double> value) {
  std::array<ExactSum, 2> parts;
  parts[0].add(value.real());
  parts[1].add(value.imag());
  const std::vector<double> sums = exact_sums(communicator, parts);
  return {sums[0], sums[1]};
}

}  // namespace hakaru::parallel
