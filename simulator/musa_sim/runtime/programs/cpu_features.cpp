#include "programs/cpu_features.h"

#include <cpuid.h>

#include <cstdlib>
#include <cstring>

namespace musa_sim {
namespace {

constexpr std::uint16_t baseline = 0;
constexpr std::uint16_t v3 = 3;
constexpr std::uint16_t v4 = 4;

struct Registers {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(unsigned leaf) {
    Registers found;
    __get_cpuid_count(leaf, 0, &found.eax, &found.ebx, &found.ecx, &found.edx);
    return found;
}

// The vector registers that the operating system saves.
constexpr unsigned halves = 0x06, wholes = 0xe6;  // of 256 bits; of 512, and their masks

bool keeps_vectors(unsigned leaf_1_ecx, unsigned which) {
    if (!(leaf_1_ecx & bit_OSXSAVE)) return false;
    unsigned low = 0, high = 0;
    asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & which) == which;
}

// Whether `name` is in a list such as "avx2,fma".
bool is_listed(const char* list, const char* name) {
    const std::size_t length = std::strlen(name);
    for (const char* at = list; at && *at;) {
        const std::size_t item = std::strcspn(at, ",");
        if (item == length && std::strncmp(at, name, item) == 0) return true;
        at += item + (at[item] == ',');
    }
    return false;
}

// The features of an x86-64-v3, or -v4, that the CPU lacks: "avx2, fma".
std::string lacking(std::uint16_t cpu) {
    const unsigned basic = cpuid(1).ecx, more = cpuid(7).ebx, extended = cpuid(0x80000001).ecx;
    const bool vectors = keeps_vectors(basic, halves), wide = keeps_vectors(basic, wholes);
    const struct {
        const char* name;
        bool is_there;
        std::uint16_t since = v3;
    } features[] = {
        {"cx16", (basic & bit_CMPXCHG16B) != 0},
        {"popcnt", (basic & bit_POPCNT) != 0},
        {"sse3", (basic & bit_SSE3) != 0},
        {"ssse3", (basic & bit_SSSE3) != 0},
        {"sse4.1", (basic & bit_SSE4_1) != 0},
        {"sse4.2", (basic & bit_SSE4_2) != 0},
        {"lahf", (extended & 1u) != 0},
        {"avx", vectors && (basic & bit_AVX)},
        {"avx2", vectors && (more & bit_AVX2)},
        {"bmi", (more & bit_BMI) != 0},
        {"bmi2", (more & bit_BMI2) != 0},
        {"f16c", vectors && (basic & bit_F16C)},
        {"fma", vectors && (basic & bit_FMA)},
        {"lzcnt", (extended & 1u << 5) != 0},
        {"movbe", (basic & bit_MOVBE) != 0},
        {"avx512f", wide && (more & bit_AVX512F), v4},
        {"avx512bw", wide && (more & bit_AVX512BW), v4},
        {"avx512cd", wide && (more & bit_AVX512CD), v4},
        {"avx512dq", wide && (more & bit_AVX512DQ), v4},
        {"avx512vl", wide && (more & bit_AVX512VL), v4},
    };
    const char* without = std::getenv("MUSA_SIM_CPU_WITHOUT");
    std::string names;
    for (const auto& feature : features) {
        if (feature.since > cpu || (feature.is_there && !is_listed(without, feature.name))) continue;
        names += (names.empty() ? "" : ", ") + std::string(feature.name);
    }
    return names;
}

}  // namespace

std::string why_not_runnable(std::uint16_t cpu) {
    if (cpu == baseline) return "";
    if (cpu != v3 && cpu != v4)
        return "kernels were compiled for a CPU that this simulator does not know (" + std::to_string(cpu) +
               "): compile them with the mcc of this SDK";
    const std::string names = lacking(cpu);
    if (names.empty()) return "";
    return "kernels were compiled for x86-64-v" + std::to_string(cpu) + ", and this CPU lacks " + names +
           ": compile them again here, or anywhere with MUSA_SIM_CPU=x86-64 (docs/simulator.md)";
}

}  // namespace musa_sim
