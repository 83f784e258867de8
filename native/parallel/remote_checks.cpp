#include "native/parallel/remote_checks.hpp"

#include <fmt/format.h>

#include <limits>

#include "native/base/require.hpp"

namespace hakaru::parallel {

using base::require;

void check_rank(int rank, int ranks) {
  if (rank >= 0 && rank < ranks) return;
  require(false, fmt::format("rank {} is not of the group", rank),
          fmt::format("its ranks are 0 ... {}", ranks - 1), "name a rank of the group");
}

void check_flag(int flag, int flags) {
  if (flag >= 1 && flag <= flags) return;
  require(false, fmt::format("flag {} does not exist", flag),
          fmt::format("the memory was made with {} flags, numbered from 1", flags),
          "make it with more flags");
}

void check_flags(const Flags& raised, int flags) {
  if (raised.sent != 0) check_flag(raised.sent, flags);
  if (raised.received != 0) check_flag(raised.received, flags);
}

void check_stride(const Stride& stride, const char* end) {
  if (stride.items == 0 || stride.item_bytes == 0) return;
  if (stride.items > 1 && stride.step_bytes < stride.item_bytes)
    require(false, fmt::format("the {} stride overlaps itself", end),
            fmt::format("items of {} B begin every {} B", stride.item_bytes, stride.step_bytes),
            "make the step at least as long as an item");
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 2;
  const std::size_t longest = stride.items == 1 ? stride.item_bytes : stride.step_bytes;
  if (stride.items <= most / longest) return;
  require(false, fmt::format("the {} stride is too long", end),
          fmt::format("{} items of {} B", stride.items, longest));
}

void check_same_length(const Stride& remote, const Stride& local) {
  const std::size_t there = remote.items * remote.item_bytes;
  const std::size_t here = local.items * local.item_bytes;
  if (there == here) return;
  require(false, "the strides of a transfer do not fit",
          fmt::format("the remote one holds {} B, the local one {} B", there, here),
          "give both ends the same number of bytes");
}

void check_address(int rank, std::size_t remote, const Stride& stride, std::size_t exposed) {
  std::size_t extent = 0;
  if (stride.items > 0 && stride.item_bytes > 0)
    extent = (stride.items - 1) * (stride.items == 1 ? 0 : stride.step_bytes) + stride.item_bytes;
  if (remote <= exposed && extent <= exposed - remote) return;
  require(false, fmt::format("{} B at address {} of rank {} are not exposed", extent, remote, rank),
          fmt::format("it exposes {} B", exposed), "stay within the memory of the target");
}

}  // namespace hakaru::parallel
