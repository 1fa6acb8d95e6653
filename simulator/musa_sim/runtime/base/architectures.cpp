#include "base/architectures.h"

namespace musa_sim {
namespace {

// Established from public sources: names, compute capabilities, warp sizes (128, 128, 128, 32),
// 28672 bytes of shared memory on mp_10 and mp_21 (the compiler's limit), everything of mp_31
// (printed by musaInfo on an S5000), 262144 registers on mp_21, 56 multiprocessors on mp_22.
//
// UNVERIFIED GUESSES, to be replaced by measurements: every number of mp_22 after its
// warp size except the multiprocessors; the limits of launches but on mp_31; on mp_10 and mp_21 threads per multiprocessor,
// multiprocessors, L2 cache and constant memory; the registers of mp_10.
//
// Memory is that of the cards S60, S80, S4000 and S5000 by their product pages; others have more or
// less.
constexpr std::size_t kib = 1024;
constexpr std::size_t gib = kib * kib * kib;
// The limits of a launch where musaInfo's are not known: those of CUDA, so that a launch that runs here has
// a chance to run there. mp_31 has none but the number of threads.
constexpr LaunchLimits as_cuda = {{1024, 1024, 64}, {2147483647, 65535, 65535}};
constexpr LaunchLimits of_mp_31 = {{1024, 1024, 1024}, {2147483647, 2147483647, 2147483647}};
const Architecture architectures[] = {
    {"mp_10", 1, 0, 128, 28672, 28672, 28672, 131072, 1024, 16, 2 * 1024 * 1024, 64 * kib,
     as_cuda, 8 * gib},
    {"mp_21", 2, 1, 128, 28672, 28672, 28672, 262144, 1024, 32, 4 * 1024 * 1024, 64 * kib,
     as_cuda, 16 * gib},
    {"mp_22", 2, 2, 128, 48 * kib, 72 * kib, 72 * kib, 131072, 2048, 56, 24 * 1024 * 1024,
     64 * kib, as_cuda, 48 * gib},
    {"mp_31", 3, 1, 32, 192 * kib, 192 * kib, 192 * kib, 131072, 3072, 56, 62914560, 8192,
     of_mp_31, 80 * gib},
};

}  // namespace

const Architecture* find_architecture(const std::string& name) {
    for (const Architecture& architecture : architectures) {
        if (name == architecture.name) return &architecture;
    }
    return nullptr;
}

std::string architecture_names() {
    std::string names;
    for (const Architecture& architecture : architectures) {
        if (!names.empty()) names += ", ";
        names += architecture.name;
    }
    return names;
}

}  // namespace musa_sim
