// Exact solutions that verify compares with.
#pragma once

namespace hakaru::apps::multiblock_flow {

// Density of Sod's shock tube where x / t = xi: a fan, a contact and a shock (states between them:
// pressure 0.3031301781, velocity 0.9274526200, shock at 1.7521557320).
double sod_density(double xi);

}  // namespace hakaru::apps::multiblock_flow
