// The driver's linker. An image of this SDK is linked already, so a single image is the result; linking several would
// take mcc.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/lifetime.h"
#include "driver.h"

// The program's buffer for error messages.
struct ErrorLog {
    char* text = nullptr;
    std::size_t size = 0;
};

struct MUlinkState_st {
    std::vector<char> image;
    bool complete = false;
    ErrorLog log{};
};

namespace {

std::mutex states_mutex;

std::unordered_set<MUlinkState>& live_states() {
    static auto& states = musa_sim::leaked<std::unordered_set<MUlinkState>>();
    return states;
}

MUresult check_state(MUlinkState state) {
    const MUresult status = driver::check_initialised();
    if (status != MUSA_SUCCESS) return status;
    std::lock_guard<std::mutex> lock(states_mutex);
    return live_states().count(state) ? MUSA_SUCCESS : MUSA_ERROR_INVALID_HANDLE;
}

MUresult fail(const ErrorLog& log, MUresult error, const std::string& why) {
    std::fprintf(stderr, "[musa-sim] %s\n", why.c_str());
    if (log.text && log.size > 0) std::snprintf(log.text, log.size, "%s", why.c_str());
    return error;
}

// Read the buffer for error messages from the options; the other options are a compiler's.
ErrorLog log_of(unsigned count, const MUjit_option* options, void* const* values) {
    ErrorLog log;
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == MU_JIT_ERROR_LOG_BUFFER) log.text = static_cast<char*>(values[i]);
        if (options[i] == MU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) log.size = reinterpret_cast<std::size_t>(values[i]);
    }
    return log;
}

MUresult add(MUlinkState state, MUjitInputType type, const char* data, std::size_t size, const std::string& name) {
    if (state->complete) return MUSA_ERROR_INVALID_VALUE;
    // MTRTC's image counts as one whatever its type: programs for CUDA name NVRTC's result PTX.
    const std::size_t length = driver::image_length(data, size);
    if (length == 0 && type == MU_JIT_INPUT_PTX)
        return fail(state->log, MUSA_ERROR_INVALID_PTX, name + " is PTX, which MUSA does not have");
    if (length == 0)
        return fail(state->log, MUSA_ERROR_INVALID_IMAGE, name + " is no image of mcc (--cuda-device-only, or of MTRTC)");
    if (!state->image.empty())
        return fail(state->log, MUSA_ERROR_NOT_SUPPORTED,
                    name + " is a second image: to link several is not simulated; `mcc -fgpu-rdc` links objects");
    state->image.assign(data, data + length);
    return MUSA_SUCCESS;
}

}  // namespace

MUSA_EXPORT MUresult muLinkCreate_v2(unsigned int count, MUjit_option* options, void** values, MUlinkState* state) {
    const MUresult status = driver::check_initialised();
    if (status != MUSA_SUCCESS) return status;
    if (!state || (count > 0 && (!options || !values))) return MUSA_ERROR_INVALID_VALUE;
    auto* const made = new MUlinkState_st{{}, false, log_of(count, options, values)};
    std::lock_guard<std::mutex> lock(states_mutex);
    live_states().insert(made);
    *state = made;
    return MUSA_SUCCESS;
}
MUSA_FIRST_NAME(muLinkCreate)

MUSA_EXPORT MUresult muLinkAddData_v2(MUlinkState state, MUjitInputType type, void* data, size_t size, const char* name,
                                      unsigned int count, MUjit_option* options, void** values) {
    const MUresult status = check_state(state);
    if (status != MUSA_SUCCESS) return status;
    if (!data || (count > 0 && (!options || !values))) return MUSA_ERROR_INVALID_VALUE;
    return add(state, type, static_cast<const char*>(data), size, name ? name : "the input");
}
MUSA_FIRST_NAME(muLinkAddData)

MUSA_EXPORT MUresult muLinkAddFile_v2(MUlinkState state, MUjitInputType type, const char* path, unsigned int count,
                                      MUjit_option* options, void** values) {
    const MUresult status = check_state(state);
    if (status != MUSA_SUCCESS) return status;
    if (!path || (count > 0 && (!options || !values))) return MUSA_ERROR_INVALID_VALUE;
    std::ifstream file(path, std::ios::binary);
    if (!file) return MUSA_ERROR_FILE_NOT_FOUND;
    const std::vector<char> data{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return add(state, type, data.data(), data.size(), path);
}
MUSA_FIRST_NAME(muLinkAddFile)

// The link state owns the image.
MUSA_EXPORT MUresult muLinkComplete(MUlinkState state, void** image, size_t* size) {
    const MUresult status = check_state(state);
    if (status != MUSA_SUCCESS) return status;
    if (!image) return MUSA_ERROR_INVALID_VALUE;
    if (state->image.empty()) return fail(state->log, MUSA_ERROR_INVALID_IMAGE, "there is nothing to link");
    state->complete = true;
    *image = state->image.data();
    if (size) *size = state->image.size();
    return MUSA_SUCCESS;
}

MUSA_EXPORT MUresult muLinkDestroy(MUlinkState state) {
    const MUresult status = check_state(state);
    if (status != MUSA_SUCCESS) return status;
    std::lock_guard<std::mutex> lock(states_mutex);
    live_states().erase(state);
    delete state;
    return MUSA_SUCCESS;
}
