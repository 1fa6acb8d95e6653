// The checks that run. MUSA_SIM_CHECK names them. Without it, they are those that the loaded programs were
// compiled for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace musa_sim {

// `all` means every check below check_host (active_checks.cpp). So a new check gets a bit below that, and
// check_host moves up. mcc writes the same bits into fat binaries (CHECKS in
// musa_sim/mcc/command_line/invocation.py): a program compiled before must then be compiled again.
enum Check : unsigned {
    check_memory = 1,  // bounds, use after free, alignment
    check_race = 2,    // threads of a block that touch the same shared memory without a barrier
    check_init = 4,    // reads of memory that was never written
    check_sync = 8,    // barriers and masks that threads disagree on
    check_leaks = 16,  // memory that is never freed
    check_host = 32,   // host code that touches device memory
};

unsigned active_checks();
inline bool is_checking(unsigned checks) { return (active_checks() & checks) != 0; }

// A program was loaded that is compiled for these checks.
void request_checks(unsigned checks);

// A kernel without instrumentation is about to run: warn once that some checks cannot see it.
void note_uninstrumented(const char* kernel);

// The bits of "memory,race"; false, with the offending name, if one is no check.
bool parse_checks(const std::string& text, unsigned* checks, std::string* offender);

// "memory, race, ..."
std::string check_names();

}  // namespace musa_sim
