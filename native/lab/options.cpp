#include "native/lab/options.hpp"

#include <charconv>

#include "native/base/require.hpp"

namespace hakaru::lab {
namespace {

using base::require;

template <typename Number>
Number number(const std::string& option, const std::string& text, Number lowest, Number highest) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  require(whole && value >= lowest && value <= highest, option + "=" + text + " cannot be used",
          "it is not a number in the allowed range", "see native/lab/options.hpp");
  return value;
}

void apply(SwitchOptions& options, const std::string& name, const std::string& value) {
  if (name == "--latency-ns")
    options.link.latency_ns = number<Nanoseconds>(name, value, 0, 3'600'000'000'000);
  else if (name == "--bytes-per-second")
    options.link.bytes_per_second = number<double>(name, value, 0.0, 1e15);
  else if (name == "--queue-bytes")
    options.link.queue_bytes = number<std::size_t>(name, value, 100'000, std::size_t{1} << 40);
  else if (name == "--mtu")
    options.largest_payload_bytes = number<std::size_t>(name, value, 576, 65521);
  else if (name == "--priority")
    options.priority = number<int>(name, value, 0, 99);
  else if (name == "--device")
    options.device = value;
  else if (name == "--statistics")
    options.statistics_file = value;
  else
    require(false, "option " + name + " is not known", "the switch does not have it",
            "see native/lab/options.hpp");
}

}  // namespace

SwitchOptions parse_switch_options(const std::vector<std::string>& words) {
  SwitchOptions options;
  for (const std::string& word : words) {
    if (word.rfind("--", 0) != 0) {
      options.namespace_files.push_back(word);
      continue;
    }
    const auto equals = word.find('=');
    require(equals != std::string::npos, "option " + word + " has no value",
            "options are written --name=value", "add its value");
    apply(options, word.substr(0, equals), word.substr(equals + 1));
  }
  require(!options.namespace_files.empty(), "the switch has no hosts",
          "no namespace file was named", "name one for each host");
  return options;
}

}  // namespace hakaru::lab
