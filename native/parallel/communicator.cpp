#include "native/parallel/communicator.hpp"

#include <numeric>
#include <utility>

namespace hakaru::parallel {

Communicator::Communicator(MPI_Comm handle, bool owned) : handle_(handle), owned_(owned) {
  if (handle == MPI_COMM_NULL) return;
  HAKARU_MPI(MPI_Comm_rank(handle, &rank_));
  HAKARU_MPI(MPI_Comm_size(handle, &size_));
}

Communicator Communicator::world() { return Communicator(MPI_COMM_WORLD, false); }

Communicator Communicator::borrow(MPI_Comm handle) { return Communicator(handle, false); }

Communicator Communicator::adopt(MPI_Comm handle) { return Communicator(handle, true); }

Communicator::Communicator(Communicator&& other) noexcept { *this = std::move(other); }

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(owned_, other.owned_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  return *this;
}

Communicator::~Communicator() {
  if (!owned_ || handle_ == MPI_COMM_NULL) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Comm_free(&handle_);
}

Communicator Communicator::duplicate() const {
  MPI_Comm copy = MPI_COMM_NULL;
  HAKARU_MPI(MPI_Comm_dup(handle_, &copy));
  return Communicator(copy, true);
}

Communicator Communicator::split(int colour, int key) const {
  MPI_Comm part = MPI_COMM_NULL;
  HAKARU_MPI(MPI_Comm_split(handle_, colour < 0 ? MPI_UNDEFINED : colour, key, &part));
  return Communicator(part, true);
}

Communicator Communicator::subset(const std::vector<int>& ranks, int tag) const {
  MPI_Group all = MPI_GROUP_NULL, chosen = MPI_GROUP_NULL;
  MPI_Comm part = MPI_COMM_NULL;
  HAKARU_MPI(MPI_Comm_group(handle_, &all));
  const int code = MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &chosen);
  MPI_Group_free(&all);
  check(code, "MPI_Group_incl(");
  const int made = MPI_Comm_create_group(handle_, chosen, tag, &part);
  MPI_Group_free(&chosen);
  check(made, "MPI_Comm_create_group(");
  return Communicator(part, true);
}

Communicator Communicator::split_shared() const {
  MPI_Comm part = MPI_COMM_NULL;
  HAKARU_MPI(MPI_Comm_split_type(handle_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part));
  return Communicator(part, true);
}

void Communicator::barrier() const { HAKARU_MPI(MPI_Barrier(handle_)); }

std::vector<std::string> Communicator::gather_text(const std::string& text, int root) const {
  const std::vector<int> lengths = gather(std::vector<int>{static_cast<int>(text.size())}, root);
  std::vector<int> offsets(lengths.size(), 0);
  if (!lengths.empty()) std::partial_sum(lengths.begin(), lengths.end() - 1, offsets.begin() + 1);
  std::string joined(lengths.empty() ? 0 : offsets.back() + lengths.back(), '\0');
  HAKARU_MPI(MPI_Gatherv(text.data(), static_cast<int>(text.size()), MPI_CHAR, joined.data(),
                         lengths.data(), offsets.data(), MPI_CHAR, root, handle_));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    texts.push_back(joined.substr(offsets[i], lengths[i]));
  return texts;
}

}  // namespace hakaru::parallel
