#include "apps/ep/problem.hpp"

#include "apps/ep/deviates.hpp"

namespace hakaru::apps::ep {

int bits_of_class(const std::string& name) {
  if (name == "S") return 24;
  if (name == "W") return 25;
  if (name == "A") return 28;
  if (name == "B") return 30;
  if (name == "C") return 32;
  if (name == "D") return 36;
  return 0;
}

std::optional<Published> published(int bits) {
  switch (bits) {
    case 24:
      return Published{-3.247834652034740e3,
                       -6.958407078382297e3,
                       {6140517, 5865300, 1100361, 68546, 1648, 17, 0, 0, 0, 0}};
    case 25:
      return Published{-2.863319731645753e3, -6.320053679109499e3, {}};
    case 28:
      return Published{-4.295875165629892e3,
                       -1.580732573678431e4,
                       {98257395, 93827014, 17611549, 1110028, 26536, 245, 0, 0, 0, 0}};
    case 30:
      return Published{4.033815542441498e4, -2.660669192809235e4, {}};
    case 32:
      return Published{4.764367927995374e4, -8.084072988043731e4, {}};
    case 36:
      return Published{1.982481200946593e5, -1.020596636361769e5, {}};
    default:
      return {};
  }
}

base::Share batches_of_rank(int bits, int rank, int ranks) {
  const std::int64_t batches = std::int64_t{1} << (bits - batch_bits);
  return base::share_of(batches, rank, ranks);
}

}  // namespace hakaru::apps::ep
