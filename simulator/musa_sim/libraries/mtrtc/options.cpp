#include "options.h"

#include <cctype>
#include <map>
#include <set>
#include <utility>

namespace mtrtc {

namespace {

using Words = std::vector<std::string>;

const std::map<std::string, Words>& switches() {
    static const auto& known = *new std::map<std::string, Words>{
        {"--use_fast_math", {"-use_fast_math"}},
        {"-use_fast_math", {"-use_fast_math"}},
        {"--device-debug", {"-g", "-O0"}},
        {"-G", {"-g", "-O0"}},
        {"--generate-line-info", {"-gline-tables-only"}},
        {"-lineinfo", {"-gline-tables-only"}},
        {"--disable-warnings", {"-w"}},
        {"--relocatable-device-code=true", {"-fgpu-rdc"}},
        {"-rdc=true", {"-fgpu-rdc"}},
        {"--device-c", {"-fgpu-rdc"}},
        {"-dc", {"-fgpu-rdc"}},
        {"--restrict", {}},
        {"-restrict", {}},
        {"--extra-device-vectorization", {}},
        {"-extra-device-vectorization", {}},
    };
    return known;
}

// Options with a value after "=" or in the next word, and the beginning of mcc's option.
const std::map<std::string, std::string>& valued() {
    static const auto& known = *new std::map<std::string, std::string>{
        {"--std", "-std="},           {"-std", "-std="},
        {"--define-macro", "-D"},     {"-D", "-D"},
        {"--undefine-macro", "-U"},   {"-U", "-U"},
        {"--include-path", "-I"},     {"-I", "-I"},
        {"--offload-arch", "--offload-arch="},
    };
    return known;
}

// Options of NVIDIA's back end that change nothing: clang's default is the same.
bool without_meaning(const std::string& name, const std::string& value) {
    static const auto& defaults = *new std::map<std::string, std::set<std::string>>{
        {"--fmad", {"true"}},      {"-fmad", {"true"}},
        {"--ftz", {"false"}},      {"-ftz", {"false"}},
        {"--prec-div", {"true", "false"}},  {"-prec-div", {"true", "false"}},
        {"--prec-sqrt", {"true", "false"}}, {"-prec-sqrt", {"true", "false"}},
        {"--relocatable-device-code", {"false"}}, {"-rdc", {"false"}},
    };
    if (name == "--maxrregcount" || name == "-maxrregcount") return true;
    const auto found = defaults.find(name);
    return found != defaults.end() && found->second.count(value) > 0;
}

// Return the architecture of "mp_22", and of "compute_22", which ported programs build from the device's major and
// minor version; "" for other values.
std::string architecture(const std::string& value) {
    for (const char* prefix : {"mp_", "compute_", "sm_"}) {
        const std::string beginning = prefix;
        if (value.compare(0, beginning.size(), beginning) != 0) continue;
        const std::string number = value.substr(beginning.size());
        for (const char* known : {"10", "21", "22", "31", "32", "41", "42", "43"}) {
            if (number == known) return "mp_" + number;
        }
    }
    return "";
}

bool add_valued(const std::string& name, const std::string& value, Options& result) {
    if (name == "--gpu-architecture" || name == "-arch" || name == "-gpu-architecture") {
        const std::string arch = architecture(value);
        if (arch.empty()) {
            result.refusal = name + "=" + value + ": MTRTC has no such architecture; it has mp_10, mp_21, mp_22, mp_31";
        } else {
            result.arguments.push_back("--offload-arch=" + arch);
        }
    } else if (name == "--pre-include" || name == "-include") {
        result.arguments.insert(result.arguments.end(), {"-include", value});
    } else if ((name == "--fmad" || name == "-fmad") && value == "false") {
        result.arguments.push_back("-ffp-contract=off");
    } else if ((name == "--ftz" || name == "-ftz") && value == "true") {
        result.arguments.push_back("-fmusa-flush-denormals-to-zero");
    } else if (valued().count(name) > 0) {
        result.arguments.push_back(valued().at(name) + value);
    } else if (!without_meaning(name, value)) {
        return false;
    }
    return true;
}

bool has_value(const std::string& name) {
    return valued().count(name) > 0 || name == "--gpu-architecture" || name == "-arch" || name == "--pre-include" ||
           name == "-include" || name == "--maxrregcount" || name == "-maxrregcount";
}

}  // namespace

Options translated(const std::vector<std::string>& options) {
    Options result;
    for (std::size_t i = 0; i < options.size() && result.refusal.empty(); ++i) {
        std::string word = options[i];
        while (!word.empty() && std::isspace(static_cast<unsigned char>(word.back()))) word.pop_back();
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        if (name == "--device-as-default-execution-space" || name == "-default-device") {
            result.device_by_default = true;
        } else if (switches().count(word) > 0) {
            const Words& words = switches().at(word);
            result.arguments.insert(result.arguments.end(), words.begin(), words.end());
        } else if (equals == std::string::npos && has_value(word) && i + 1 < options.size()) {
            add_valued(word, options[++i], result);
        } else if (equals == std::string::npos || !add_valued(name, word.substr(equals + 1), result)) {
            result.arguments.push_back(word);  // mcc's own, or an error that mcc explains
        }
    }
    return result;
}

}  // namespace mtrtc
