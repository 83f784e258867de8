#include "probes/formatted_io/verification.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace hakaru::probes::formatted_io {
namespace {

constexpr std::int64_t verified_items = 4003;

// Another digit within a number, or another byte behind the marks of a record.
void spoil(Way way, const Items& items, const std::string& path) {
  constexpr std::streamoff integer = 28, real = 4 * text_width + 1 + 15, byte = 41;
  const bool text = about(way).formatted;
  const std::streamoff place = !text ? byte : is_integer(items.type()) ? integer : real;
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(place);
  const int now = file.get();
  file.seekp(place);
  file.put(static_cast<char>(text ? (now == '7' ? '3' : '7') : now ^ 1));
}

}  // namespace

Returned returned(Way way, Type type, std::int64_t count, const std::string& folder) {
  const std::string path = folder + "/returned";
  const Items items(type, count, Values::full, 5);
  Items back(type, count);
  write(way, items, path);
  read(way, back, path);
  std::filesystem::remove(path);
  return {differing(items, back), largest_rounding(items, back)};
}

void Found::roundings(Type type, const Returned& found) {
  rounding_ = std::max(rounding_, found.rounding);
  if (is_single(type)) singles_ += found.differing;
  ++looked_at_;
}

void Found::add_to(base::Checks& checks) const {
  checks.equal("bytes that are not the text or the bytes of the values",
               static_cast<double>(bytes_), 0.0, "each digit is known by construction");
  checks.equal("values that did not come back bit for bit", static_cast<double>(values_), 0.0,
               "15 digits are kept by a double, and a float needs 9");
  checks.equal("full floats that did not come back", static_cast<double>(singles_), 0.0,
               "15 digits are more than the 9 that a float needs");
  // Half a unit of the last of 15 digits; half a unit in the last place of the double that is read:
  // 2^-53 of a value below 10^e.
  checks.at_most("largest rounding of full doubles", rounding_, 0.5e-15 + 0x1p-53,
                 "half of the last digit, and the rounding of the double");
  checks.at_least("files that were looked at", static_cast<double>(looked_at_), 1.0,
                  "without any there is nothing to tell");
}

void verify_way(Way way, Type type, const std::string& folder, bool damage, Found& found) {
  const std::string path = folder + "/verified";
  const Items items(type, verified_items, Values::decimal, 3);
  write(way, items, path);
  if (damage) spoil(way, items, path);
  found.bytes(wrong(way, items, path));
  if (about(way).reads) {
    Items back(type, verified_items);
    read(way, back, path);
    found.values(differing(items, back));
    if (about(way).formatted && !is_integer(type))
      found.roundings(type, returned(way, type, verified_items, folder));
  }
  std::filesystem::remove(path);
}

}  // namespace hakaru::probes::formatted_io
