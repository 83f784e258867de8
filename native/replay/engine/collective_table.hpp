// Price of a collective whose ranks wait for each other: measured, or a constant.
#pragma once

#include "native/replay/engine/options.hpp"

namespace hakaru::replay {

// Measured: interpolated linearly in log2(ranks) and log2(bytes + 1) of the logarithm of the time;
// constant in bytes below the least and proportional beyond the most, and the last slope in
// log2(ranks) continued. Seconds.
double measured_time(const std::vector<TableEntry>& table, double ranks, double bytes);
// By the table, or the constants where there is none. Seconds.
double price_together(const CollectivePrice& price, double ranks, double bytes);
// What all wait for the network before they pay that. Seconds.
double wire_together(const CollectivePrice& price, double ranks, double bytes);

}  // namespace hakaru::replay
