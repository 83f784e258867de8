// Errors that people read. Two kinds: `require` for what a user or a machine can get wrong (always
// on), `expects` for what a programmer can get wrong.
#pragma once

#include <stdexcept>
#include <string>

namespace hakaru::base {

// Exit codes of every program.
enum class ExitCode { ok = 0, usage = 2, verification = 3, environment = 4 };

// Carries a message of the form `problem (why); what to do` and the exit code that the program ends
// with.
class UserError : public std::runtime_error {
 public:
  UserError(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// Composes `problem (why); what to do`, leaving out empty parts.
std::string explain(const std::string& problem, const std::string& why,
                    const std::string& what_to_do);

// Throws UserError(usage) when a value given by the user cannot be used.
inline void require(bool condition, const std::string& problem, const std::string& why = "",
                    const std::string& what_to_do = "") {
  if (!condition) throw UserError(ExitCode::usage, explain(problem, why, what_to_do));
}

// Throws UserError(environment) when the machine or its software cannot carry out a valid request.
inline void require_environment(bool condition, const std::string& problem,
                                const std::string& why = "", const std::string& what_to_do = "") {
  if (!condition) throw UserError(ExitCode::environment, explain(problem, why, what_to_do));
}

// Throws std::logic_error with file and line: a mistake in hakaru itself.
[[noreturn]] void expectation_failed(const char* expression, const char* file, int line);

}  // namespace hakaru::base

#define HAKARU_EXPECTS(condition) \
  ((condition) ? void(0) : ::hakaru::base::expectation_failed(#condition, __FILE__, __LINE__))
