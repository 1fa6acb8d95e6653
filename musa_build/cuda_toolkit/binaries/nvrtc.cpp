// NVRTC on MTRTC. A program of the toolkit (musa_build/nvcc/runtime_compile.py) translates the options and the inline PTX of
// the texts, by the tables that nvcc uses; then MTRTC compiles. Everything that needs no translation is MTRTC's.
#include <dlfcn.h>
#include <fcntl.h>
#include <mtrtc.h>
#include <musa_runtime_api.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <musa_cuda/adapters/image_text.h>
#include <musa_cuda/version.h>

#include "names.h"

extern char **environ;
namespace fs = std::filesystem;

namespace {

struct Program {
    std::string source;
    std::string name;
    std::vector<std::pair<std::string, std::string>> headers;  // names and texts
    std::vector<std::string> expressions;
    mtrtcProgram compiled = nullptr;  // null before the first compilation, and if the options were refused
    bool tried = false;
    std::string refusal;  // why the last compilation did not reach MTRTC
    ~Program() {
        if (compiled) mtrtcDestroyProgram(&compiled);
    }
};

Program *of(mtrtcProgram program) { return reinterpret_cast<Program *>(program); }

class Folder {
   public:
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "nvrtc-XXXXXX").string();
        if (!mkdtemp(pattern.data())) throw std::system_error(errno, std::generic_category(), pattern);
        path_ = pattern;
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;

    const fs::path &path() const { return path_; }
    void write(const std::string &name, const std::string &text) const {
        std::ofstream stream(path_ / name, std::ios::binary);
        if (!(stream << text)) throw std::system_error(errno, std::generic_category(), (path_ / name).string());
    }
    std::string read(const std::string &name) const {
        std::ifstream stream(path_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    }

   private:
    fs::path path_;
};

// The toolkit that this library lies in.
fs::path toolkit() {
    Dl_info here{};
    dladdr(reinterpret_cast<void *>(&toolkit), &here);
    return fs::canonical(here.dli_fname).parent_path().parent_path().parent_path();
}

// "mp_22" of the current device; "" without one.
std::string architecture() {
    int device = 0, major = 0, minor = 0;
    const bool known = musaGetDevice(&device) == musaSuccess &&
                       musaDeviceGetAttribute(&major, musaDevAttrComputeCapabilityMajor, device) == musaSuccess &&
                       musaDeviceGetAttribute(&minor, musaDevAttrComputeCapabilityMinor, device) == musaSuccess;
    return known ? "mp_" + std::to_string(major) + std::to_string(minor) : "";
}

// Runs the program that translates what is in a folder. Returns its exit status; its messages go to the file `log`.
int translate(const Folder &folder) {
    const std::string root = toolkit().string(), work = folder.path().string(), log = work + "/log";
    const std::string program = root + "/share/musa_build_nvcc/nvrtc_main.py";
    std::vector<const char *> words{MUSA_CUDA_PYTHON, "-IS", program.c_str(), work.c_str(), nullptr};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    pid_t child = -1;
    const int error = posix_spawn(&child, words[0], &files, nullptr, const_cast<char *const *>(words.data()), environ);
    posix_spawn_file_actions_destroy(&files);
    if (error) throw std::system_error(error, std::generic_category(), words[0]);
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::vector<std::string> split(const std::string &text) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\0', at);
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

mtrtcResult compile(Program &program, const std::vector<std::string> &options) {
    const Folder folder;
    std::string joined;
    for (const std::string &option : options) joined += option + '\0';
    folder.write("options", joined);
    folder.write("architecture", architecture());
    folder.write("name", program.name);
    folder.write("text.0", program.source);
    for (std::size_t i = 0; i < program.headers.size(); ++i) {
        folder.write("text." + std::to_string(i + 1), program.headers[i].second);
    }
    const int status = translate(folder);
    if (status != 0) {
        program.refusal = folder.read("log");
        return status == 2 ? MTRTC_ERROR_INVALID_OPTION : MTRTC_ERROR_INTERNAL_ERROR;
    }
    std::vector<std::string> texts;
    std::vector<const char *> headers, names, expressions, arguments;
    for (std::size_t i = 0; i <= program.headers.size(); ++i) texts.push_back(folder.read("text." + std::to_string(i)));
    for (std::size_t i = 0; i < program.headers.size(); ++i) {
        headers.push_back(texts[i + 1].c_str());
        names.push_back(program.headers[i].first.c_str());
    }
    const std::vector<std::string> translated = split(folder.read("arguments"));
    for (const std::string &word : translated) arguments.push_back(word.c_str());
    mtrtcResult result = mtrtcCreateProgram(&program.compiled, texts[0].c_str(), program.name.c_str(),
                                            static_cast<int>(headers.size()), headers.data(), names.data());
    for (const std::string &expression : program.expressions) {
        if (result == MTRTC_SUCCESS) result = mtrtcAddNameExpression(program.compiled, expression.c_str());
    }
    if (result != MTRTC_SUCCESS) return result;
    result = mtrtcCompileProgram(program.compiled, static_cast<int>(arguments.size()), arguments.data());
    // Statements of PTX without translation are the likely reason for an error.
    if (result != MTRTC_SUCCESS) program.refusal = folder.read("log");
    return result;
}

// Say once more in NVRTC's words which headers were not found: programs read these, and add the headers (jitify).
std::string missing_headers(const std::string &log) {
    static const std::regex form("(.+):(\\d+):\\d+: fatal error: '(.+)' file not found");
    std::string text;
    for (std::sregex_iterator found(log.begin(), log.end(), form), end; found != end; ++found) {
        text += (*found)[1].str() + "(" + (*found)[2].str() + "): catastrophic error: cannot open source file \"" +
                (*found)[3].str() + "\"\n";
    }
    return text;
}

std::string log_of(const Program &program) {
    std::size_t size = 0;
    std::string log;
    if (program.compiled && mtrtcGetProgramLogSize(program.compiled, &size) == MTRTC_SUCCESS && size > 0) {
        log.resize(size);
        if (mtrtcGetProgramLog(program.compiled, log.data()) != MTRTC_SUCCESS) log.clear();
        log.resize(std::strlen(log.c_str()));
    }
    return log + missing_headers(log) + program.refusal;
}

}  // namespace

CUDA_EXPORT mtrtcResult nvrtcVersion(int *major, int *minor) {
    if (!major || !minor) return MTRTC_ERROR_INVALID_INPUT;
    *major = CUDA_VERSION / 1000;
    *minor = CUDA_VERSION / 10 % 100;
    return MTRTC_SUCCESS;
}

CUDA_EXPORT const char *nvrtcGetErrorString(mtrtcResult result) {
    return musa_cuda::renamed(mtrtcGetErrorString(result), "MTRTC", "NVRTC");
}

static constexpr int architectures[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};

CUDA_EXPORT mtrtcResult nvrtcGetNumSupportedArchs(int *count) {
    if (!count) return MTRTC_ERROR_INVALID_INPUT;
    *count = static_cast<int>(std::size(architectures));
    return MTRTC_SUCCESS;
}

CUDA_EXPORT mtrtcResult nvrtcGetSupportedArchs(int *supported) {
    if (!supported) return MTRTC_ERROR_INVALID_INPUT;
    std::memcpy(supported, architectures, sizeof architectures);
    return MTRTC_SUCCESS;
}

CUDA_EXPORT mtrtcResult nvrtcCreateProgram(mtrtcProgram *program, const char *source, const char *name, int header_count,
                                           const char *const *headers, const char *const *include_names) {
    if (!program || !source || header_count < 0 || (header_count > 0 && (!headers || !include_names))) {
        return MTRTC_ERROR_INVALID_INPUT;
    }
    auto made = std::make_unique<Program>();
    made->source = source;
    made->name = name && *name ? name : "default_program";
    for (int i = 0; i < header_count; ++i) {
        if (!headers[i] || !include_names[i]) return MTRTC_ERROR_INVALID_INPUT;
        made->headers.emplace_back(include_names[i], headers[i]);
    }
    *program = reinterpret_cast<mtrtcProgram>(made.release());
    return MTRTC_SUCCESS;
}

CUDA_EXPORT mtrtcResult nvrtcDestroyProgram(mtrtcProgram *program) {
    if (!program || !*program) return MTRTC_ERROR_INVALID_PROGRAM;
    delete of(*program);
    *program = nullptr;
    return MTRTC_SUCCESS;
}

CUDA_EXPORT mtrtcResult nvrtcCompileProgram(mtrtcProgram handle, int option_count, const char *const *options) {
    if (!handle) return MTRTC_ERROR_INVALID_PROGRAM;
    if (option_count < 0 || (option_count > 0 && !options)) return MTRTC_ERROR_INVALID_INPUT;
    Program &program = *of(handle);
    if (program.compiled) mtrtcDestroyProgram(&program.compiled);
    program.compiled = nullptr;
    program.tried = true;
    program.refusal.clear();
    try {
        return compile(program, {options, options + option_count});
    } catch (const std::exception &error) {  // of files
        program.refusal = error.what();
        return MTRTC_ERROR_INTERNAL_ERROR;
    }
}

CUDA_EXPORT mtrtcResult nvrtcGetProgramLogSize(mtrtcProgram program, size_t *size) {
    if (!program) return MTRTC_ERROR_INVALID_PROGRAM;
    if (!size) return MTRTC_ERROR_INVALID_INPUT;
    *size = log_of(*of(program)).size() + 1;
    return MTRTC_SUCCESS;
}

CUDA_EXPORT mtrtcResult nvrtcGetProgramLog(mtrtcProgram program, char *log) {
    if (!program) return MTRTC_ERROR_INVALID_PROGRAM;
    if (!log) return MTRTC_ERROR_INVALID_INPUT;
    const std::string text = log_of(*of(program));
    std::memcpy(log, text.c_str(), text.size() + 1);
    return MTRTC_SUCCESS;
}

// NVRTC makes PTX for a virtual architecture and a cubin for a real one. MTRTC makes one image, which the driver loads.
static std::string text_of(const std::string &image) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    constexpr std::size_t bytes_of_line = 57;  // 76 digits
    const unsigned checksum = musa_cuda_checksum(reinterpret_cast<const unsigned char *>(image.data()), image.size());
    std::string text = "//\n" MUSA_CUDA_TEXT_MARK + std::to_string(image.size()) + " bytes, checksum " +
                       std::to_string(checksum) + "\n//\n\n.version 8.4\n.target sm_80\n.address_size 64\n\n";
    for (std::size_t begin = 0; begin < image.size(); begin += bytes_of_line) {
        unsigned bits = 0, held = 0;
        text += MUSA_CUDA_TEXT_LINE;
        for (const unsigned char byte : image.substr(begin, bytes_of_line)) {
            bits = bits << 8 | byte;
            for (held += 8; held >= 6; held -= 6) text += digits[bits >> (held - 6) & 63];
        }
        if (held) text += digits[bits << (6 - held) & 63];
        text += '\n';
    }
    return text;
}

static mtrtcResult image_size(mtrtcProgram program, size_t *size) {
    if (!program || !of(program)->compiled) return MTRTC_ERROR_INVALID_PROGRAM;
    return mtrtcGetFatBinSize(of(program)->compiled, size);
}

static mtrtcResult image(mtrtcProgram program, char *bytes) {
    if (!program || !of(program)->compiled) return MTRTC_ERROR_INVALID_PROGRAM;
    return mtrtcGetFatBin(of(program)->compiled, bytes);
}

static mtrtcResult ptx(mtrtcProgram program, std::string &text) {
    std::size_t size = 0;
    mtrtcResult result = image_size(program, &size);
    if (result != MTRTC_SUCCESS) return result;
    std::string bytes(size, '\0');
    result = image(program, bytes.data());
    if (result == MTRTC_SUCCESS) text = text_of(bytes);
    return result;
}

CUDA_EXPORT mtrtcResult nvrtcGetPTXSize(mtrtcProgram program, size_t *size) {
    std::string text;
    const mtrtcResult result = size ? ptx(program, text) : MTRTC_ERROR_INVALID_INPUT;
    if (result == MTRTC_SUCCESS) *size = text.size() + 1;
    return result;
}

CUDA_EXPORT mtrtcResult nvrtcGetPTX(mtrtcProgram program, char *bytes) {
    std::string text;
    const mtrtcResult result = bytes ? ptx(program, text) : MTRTC_ERROR_INVALID_INPUT;
    if (result == MTRTC_SUCCESS) std::memcpy(bytes, text.c_str(), text.size() + 1);
    return result;
}

CUDA_EXPORT mtrtcResult nvrtcGetCUBINSize(mtrtcProgram program, size_t *size) { return image_size(program, size); }
CUDA_EXPORT mtrtcResult nvrtcGetCUBIN(mtrtcProgram program, char *bytes) { return image(program, bytes); }

CUDA_EXPORT mtrtcResult nvrtcAddNameExpression(mtrtcProgram program, const char *expression) {
    if (!program) return MTRTC_ERROR_INVALID_PROGRAM;
    if (!expression) return MTRTC_ERROR_INVALID_INPUT;
    if (of(program)->tried) return MTRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    of(program)->expressions.emplace_back(expression);
    return MTRTC_SUCCESS;
}

CUDA_EXPORT mtrtcResult nvrtcGetLoweredName(mtrtcProgram program, const char *expression, const char **lowered_name) {
    if (!program) return MTRTC_ERROR_INVALID_PROGRAM;
    if (!of(program)->compiled) return MTRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    return mtrtcGetLoweredName(of(program)->compiled, expression, lowered_name);
}
