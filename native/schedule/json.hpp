// Schedules as files: schema/schedule.schema.json. SI units. Operations are in the order in which a
// rank does them; a loop is nested.
#pragma once

#include <ostream>
#include <string>

#include "native/schedule/schedule.hpp"

namespace hakaru::schedule {

// One line per operation, runs of ranks as [first, last, stride].
void write_json(const Schedule& schedule, std::ostream& out);

// A schedule that has passed validate(). Throws base::UserError: usage when the file is damaged or
// no schedule, environment when it cannot be read.
Schedule read_json(const std::string& path);
// The same from text; `name` is what messages call it.
Schedule parse_json(const std::string& text, const std::string& name);

}  // namespace hakaru::schedule
