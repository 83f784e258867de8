// Command lines of the programs that are no leaves, declared with CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace hakaru::command {

// Reads the words after the program's name into what `declared` names. False when they asked for
// help, which is printed then. Throws UserError(usage) where they are not as declared.
bool read_words(CLI::App& declared, std::vector<std::string> words);

// Of main: what `body` returns, or the exit code of what it throws, which `told` gets as
// "program: problem (why); what to do".
int reported(const std::string& program, std::FILE* told, const std::function<int()>& body);

}  // namespace hakaru::command
