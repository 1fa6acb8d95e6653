// Names in the words of CUDA.
#pragma once

#include <map>
#include <mutex>
#include <string>

#define CUDA_EXPORT extern "C" __attribute__((visibility("default")))

namespace musa_cuda {

// Returns a constant's name in CUDA's words, for as long as the process lives: `ours` at its beginning becomes `theirs`.
inline const char *renamed(const char *name, const std::string &ours, const std::string &theirs) {
    static std::mutex mutex;
    static auto &known = *new std::map<std::string, std::string>;
    if (!name) return nullptr;
    std::string text = name;
    if (text.compare(0, ours.size(), ours) == 0) text.replace(0, ours.size(), theirs);
    const std::lock_guard<std::mutex> lock(mutex);
    return known.emplace(text, text).first->second.c_str();
}

}  // namespace musa_cuda
