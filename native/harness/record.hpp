// The record of one execution (schema/record.schema.json).
#pragma once

#include <string>

#include "native/base/checks.hpp"
#include "native/harness/binding.hpp"
#include "native/harness/command_line.hpp"
#include "native/harness/kind_of_program.hpp"
#include "native/harness/program.hpp"

namespace hakaru::harness {

// What describe prints under "evaluated" and a record keeps under "work".
base::json evaluate(const Program& program, const base::Description& description,
                    const base::Parameters& parameters, const base::Layout& layout);

// A record with everything that is known before the first repetition. Its status is "failed" until
// the execution is over. Its id is the stem of the record file, or made from time and program when
// no file is wanted.
base::json begin_record(const base::Description& description, const CommandLine& line,
                        const base::Layout& layout, const std::string& kind);

void fail(base::json& record, const std::string& reason, int exit_code);

}  // namespace hakaru::harness
