#include "native/trace/timeline/notes.hpp"

#include <algorithm>
#include <cmath>

namespace hakaru::trace {

using nlohmann::json;

void Histogram::add(double value) {
  const double place = value > first_ ? std::floor(std::log2(value / first_)) : 0.0;
  const auto bin = static_cast<std::size_t>(std::min(place, 80.0));
  if (bin >= bins_.size()) bins_.resize(bin + 1);
  ++bins_[bin].first;
  bins_[bin].second += value;
}

json Histogram::document() const {
  std::size_t begin = 0;
  while (begin < bins_.size() && bins_[begin].first == 0) ++begin;
  json counts = json::array(), sums = json::array();
  for (std::size_t bin = begin; bin < bins_.size(); ++bin) {
    counts.push_back(bins_[bin].first);
    sums.push_back(bins_[bin].second);
  }
  return {
      {"first", std::ldexp(first_, static_cast<int>(begin))}, {"counts", counts}, {"sums", sums}};
}

void Notes::message(const Message& message) {
  const double sent = std::min(message.sent_s, message.received_s);
  if (sent > window_.to_s || std::max(message.sent_s, message.received_s) < window_.from_s) return;
  messages_.push_back(message);
  backwards_ += message.received_s < message.sent_s;
  bytes_.add(static_cast<double>(message.bytes));
}

void Notes::wait(const Wait& wait) {
  if (wait.begin_s > window_.to_s || wait.begin_s + wait.seconds < window_.from_s) return;
  waits_of_rank_[static_cast<std::size_t>(wait.rank)].emplace_back(wait.begin_s,
                                                                   wait.begin_s + wait.seconds);
  seconds_[static_cast<std::size_t>(wait.kind)].add(wait.seconds);
  const auto longer = [](const Wait& a, const Wait& b) { return a.seconds > b.seconds; };
  if (largest_.size() == longest_) {
    if (longest_ == 0 || wait.seconds <= largest_.front().seconds) return;
    std::pop_heap(largest_.begin(), largest_.end(), longer);
    largest_.pop_back();
  }
  largest_.push_back(wait);
  std::push_heap(largest_.begin(), largest_.end(), longer);
}

const std::vector<Message>& Notes::messages() {
  if (!sorted_)
    std::stable_sort(messages_.begin(), messages_.end(),
                     [](const Message& a, const Message& b) { return a.sent_s < b.sent_s; });
  sorted_ = true;
  return messages_;
}

std::vector<std::pair<double, double>> Notes::waits(std::size_t rank) {
  std::vector<std::pair<double, double>>& all = waits_of_rank_[rank];
  std::sort(all.begin(), all.end());
  std::vector<std::pair<double, double>> united;
  for (const auto& [begin, end] : all) {
    if (!united.empty() && begin <= united.back().second)
      united.back().second = std::max(united.back().second, end);
    else
      united.emplace_back(begin, end);
  }
  return united;
}

json Notes::histograms() const {
  json waits = json::object();
  for (std::size_t i = 0; i < wait_names.size(); ++i) waits[wait_names[i]] = seconds_[i].document();
  return {{"message_bytes", bytes_.document()}, {"waiting_s", waits}};
}

json Notes::longest_waits(const Trace& trace) {
  std::sort(largest_.begin(), largest_.end(), [](const Wait& a, const Wait& b) {
    return std::tuple(-a.seconds, a.begin_s, a.rank) < std::tuple(-b.seconds, b.begin_s, b.rank);
  });
  json list = json::array();
  for (const Wait& wait : largest_)
    list.push_back({{"rank", wait.rank},
                    {"late_rank", wait.late_rank},
                    {"begin_s", wait.begin_s},
                    {"seconds", wait.seconds},
                    {"call", wait.call == no_call ? "" : trace.calls[wait.call]},
                    {"kind", wait_names[static_cast<std::size_t>(wait.kind)]}});
  return list;
}

}  // namespace hakaru::trace
