// The driver's linker. A single image is the result as it is; relocatable code is linked by mcc.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../mcc.h"
#include "base/lifetime.h"
#include "driver.h"

// The program's buffer for error messages, and where the driver tells the program more: a value of an option is also
// its result.
struct JitOptions {
    char* errors = nullptr;
    std::size_t size = 0;
    void** error_bytes = nullptr;
    void** info_bytes = nullptr;
    void** milliseconds = nullptr;  // a float
};

struct MUlinkState_st {
    std::vector<driver::LinkInput> inputs;
    std::vector<char> image;
    bool complete = false;
    JitOptions options{};
};

namespace {

constexpr const char* relocatable_magic = "MUSARDC1";

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

MUresult fail(const JitOptions& options, MUresult error, const std::string& why) {
    std::fprintf(stderr, "[musa-sim] %s\n", why.c_str());
    if (options.errors && options.size > 0) {
        std::snprintf(options.errors, options.size, "%s", why.c_str());
        if (options.error_bytes) *options.error_bytes = reinterpret_cast<void*>(std::strlen(options.errors) + 1);
    }
    return error;
}

// Read the options that concern messages and times, and set their results to nothing; the others are a compiler's.
JitOptions read_options(unsigned count, const MUjit_option* options, void** values) {
    JitOptions found;
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == MU_JIT_ERROR_LOG_BUFFER) found.errors = static_cast<char*>(values[i]);
        if (options[i] == MU_JIT_WALL_TIME) found.milliseconds = &values[i];
        if (options[i] == MU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) found.info_bytes = &values[i];
        if (options[i] == MU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            found.size = reinterpret_cast<std::size_t>(values[i]);
            found.error_bytes = &values[i];
        }
    }
    for (void** const bytes : {found.error_bytes, found.info_bytes}) {
        if (bytes) *bytes = nullptr;
    }
    if (found.errors && found.size > 0) *found.errors = '\0';
    return found;
}

bool begins_with(const char* data, std::size_t size, const char* text) {
    return size >= std::strlen(text) && std::memcmp(data, text, std::strlen(text)) == 0;
}

// Whether mcc's device link reads such a file: relocatable code, objects and archives.
bool is_linkable(const char* data, std::size_t size) {
    static const char* const beginnings[] = {relocatable_magic, "\177ELF", "!<arch>\n"};
    return std::any_of(std::begin(beginnings), std::end(beginnings),
                       [&](const char* text) { return begins_with(data, size, text); });
}

MUresult add(MUlinkState state, MUjitInputType type, const char* data, std::size_t size, const std::string& name) {
    if (state->complete) return MUSA_ERROR_INVALID_VALUE;
    // MTRTC's image counts as one whatever its type: programs for CUDA name NVRTC's result PTX.
    const std::size_t length = driver::image_length(data, size);
    if (is_linkable(data, size)) {
        state->inputs.push_back({name, {data, data + size}});
        return MUSA_SUCCESS;
    }
    if (length == 0 && type == MU_JIT_INPUT_PTX)
        return fail(state->options, MUSA_ERROR_INVALID_PTX, name + " is PTX, which MUSA does not have");
    if (length == 0)
        return fail(state->options, MUSA_ERROR_INVALID_IMAGE, name + " is no device code of mcc (--cuda-device-only, -dc, or of MTRTC)");
    if (!state->image.empty())
        return fail(state->options, MUSA_ERROR_NOT_SUPPORTED,
                    name + " is a second image, and images are linked already: compile with -fgpu-rdc to link several");
    state->image.assign(data, data + length);
    return MUSA_SUCCESS;
}

void replace_all(std::string& text, const std::string& old, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += with.size()) text.replace(at, old.size(), with);
}

MUresult linked(const std::vector<driver::LinkInput>& inputs, std::vector<char>& image, std::string& why) {
    const std::string mcc = sdk::mcc();
    if (mcc.empty()) {
        why = "libmusa.so lies in no SDK, so that there is no mcc to link with";
        return MUSA_ERROR_NOT_SUPPORTED;
    }
    const sdk::Folder folder("musa-link");
    std::vector<std::string> command{mcc, "-dlink", "--cuda-device-only", "-o", folder.path("image")};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::string file = std::to_string(i) + ".code";
        folder.write(file, inputs[i].bytes);
        command.push_back(folder.path(file));
    }
    const bool done = sdk::succeeds(command, folder.path("log"));
    const std::string made = done ? sdk::content_of(folder.path("image")) : "";
    image.assign(made.begin(), made.end());
    why = sdk::content_of(folder.path("log"));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        replace_all(why, folder.path(std::to_string(i) + ".code"), inputs[i].name);
    }
    return done ? MUSA_SUCCESS : MUSA_ERROR_INVALID_IMAGE;
}

}  // namespace

std::size_t driver::relocatable_length(const void* code) {
    // mcc/relocatable/record.py: the magic number, the bytes of the record
    const char* const bytes = static_cast<const char*>(code);
    std::uint64_t length = 0;
    if (std::memcmp(bytes, relocatable_magic, std::strlen(relocatable_magic)) == 0) {
        std::memcpy(&length, bytes + std::strlen(relocatable_magic), sizeof length);
    }
    return length;
}

bool driver::is_relocatable(const std::vector<char>& file) {
    return begins_with(file.data(), file.size(), relocatable_magic);
}

MUresult driver::link(const std::vector<LinkInput>& inputs, std::vector<char>& image, std::string& why) {
    try {
        return linked(inputs, image, why);
    } catch (const std::exception& error) {  // of files
        why = error.what();
        return MUSA_ERROR_OPERATING_SYSTEM;
    }
}

MUSA_EXPORT MUresult muLinkCreate_v2(unsigned int count, MUjit_option* options, void** values, MUlinkState* state) {
    const MUresult status = driver::check_initialised();
    if (status != MUSA_SUCCESS) return status;
    if (!state || (count > 0 && (!options || !values))) return MUSA_ERROR_INVALID_VALUE;
    auto* const made = new MUlinkState_st{{}, {}, false, read_options(count, options, values)};
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
    const auto started = std::chrono::steady_clock::now();
    if (!state->inputs.empty()) {
        std::string why;
        std::vector<char> linked;
        const MUresult done = driver::link(state->inputs, linked, why);
        if (!state->image.empty() && (done != MUSA_SUCCESS || !linked.empty()))
            return fail(state->options, MUSA_ERROR_NOT_SUPPORTED, "an image is linked already, and cannot be linked with others");
        if (done != MUSA_SUCCESS) return fail(state->options, done, why);
        if (!linked.empty()) state->image = std::move(linked);
        state->inputs.clear();
    }
    if (state->image.empty()) return fail(state->options, MUSA_ERROR_INVALID_IMAGE, "there is nothing to link");
    state->complete = true;
    if (state->options.milliseconds) {
        const float taken = std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - started).count();
        std::memcpy(state->options.milliseconds, &taken, sizeof taken);
    }
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
