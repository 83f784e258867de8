// Values of a JSON file, each checked as it is taken, with messages that say where it stands.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "native/base/require.hpp"

namespace hakaru::schedule {

using nlohmann::json;

// Where in the file something is. Only messages turn it into words: it is passed along with every
// value.
struct Place {
  const char* what;
  std::size_t number = SIZE_MAX, operation = SIZE_MAX;

  std::string words() const {
    std::string text = what;
    if (number != SIZE_MAX) text += fmt::format(" {}", number);
    if (operation != SIZE_MAX) text += fmt::format(", operation {}", operation);
    return text;
  }
};
inline constexpr Place whole_file{"the file"};

class CheckedValues {
 public:
  // `name` of the file, for messages; must outlive this.
  explicit CheckedValues(const std::string& name) : name_(name) {}

  // Throws base::UserError(usage) like everything here.
  void demand(bool condition, const Place& place, std::string_view problem) const {
    if (condition) return;
    base::require(false, fmt::format("{} is not a schedule that can be used", name_),
                  fmt::format("{}: {}", place.words(), problem), "make it again");
  }

  void only(const json& object, const Place& place, std::initializer_list<const char*> keys) const {
    demand(object.is_object(), place, "it is not an object");
    for (const auto& [key, value] : object.items()) {
      bool known = false;
      for (const char* allowed : keys) known = known || key == allowed;
      if (!known) demand(false, place, "there is no field '" + key.substr(0, 40) + "'");
    }
  }

  const json& at(const json& object, const char* key, const Place& place) const {
    const auto found = object.find(key);
    if (found == object.end()) demand(false, place, fmt::format("'{}' is missing", key));
    return *found;
  }

  const json& array_of(const json& object, const char* key) const {
    const json& value = at(object, key, whole_file);
    demand(value.is_array(), {key}, "it is not an array");
    return value;
  }

  std::string text_of(const json& object, const char* key, const Place& place) const {
    const json& value = at(object, key, place);
    if (!value.is_string()) demand(false, place, fmt::format("'{}' is not a text", key));
    return value.get<std::string>();
  }

  std::int64_t integer(const json& value, const char* what, const Place& place, std::int64_t least,
                       std::int64_t most) const {
    const bool whole = value.is_number_integer() &&
                       (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
    const std::int64_t number = whole ? value.get<std::int64_t>() : 0;
    if (!whole || number < least || number > most)
      demand(false, place,
             fmt::format("'{}' is not a whole number from {} to {}", what, least, most));
    return number;
  }

  std::int64_t integer_of(const json& object, const char* key, const Place& place,
                          std::int64_t least, std::int64_t most) const {
    return integer(at(object, key, place), key, place, least, most);
  }

  double number_of(const json& object, const char* key, const Place& place) const {
    const json& value = at(object, key, place);
    const double number = value.is_number() ? value.get<double>() : -1.0;
    if (!(number >= 0.0 && std::isfinite(number)))
      demand(false, place, fmt::format("'{}' is not a number of at least 0", key));
    return number;
  }

 private:
  const std::string& name_;
};

}  // namespace hakaru::schedule
