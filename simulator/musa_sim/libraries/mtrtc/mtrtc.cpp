// MTRTC: programs, their compilation, and the names in them. See include/mtrtc.h.
#include <mtrtc.h>
#include <musa_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "../exported.h"
#include "../mcc.h"
#include "base/lifetime.h"
#include "options.h"

namespace fs = std::filesystem;

struct _mtrtcProgram {
    std::string source;
    std::string name;
    std::map<std::string, std::string> headers;
    std::vector<std::string> expressions;
    bool compiled = false;  // whether a compilation was tried
    std::string log;
    std::string image;
    std::map<std::string, std::string> lowered;
};

namespace {

std::string variable(std::size_t expression) { return "__mtrtc_name_expression_" + std::to_string(expression); }

constexpr const char* for_both_begin = "#pragma clang force_cuda_host_device begin\n";
constexpr const char* for_both_end = "#pragma clang force_cuda_host_device end\n";

// Rewrite the includes of a program's text. In both rewritings, messages keep their lines.
// - <name> of a header from memory becomes "name". For NVRTC, which has no C library, programs bring a <math.h> of their
//   own: it is for them, and not for the runtime's header, which comes before.
// - Where functions are the device's by default, those of other headers in <> keep their own attributes. These headers
//   are the SDK's and the C++ library's, whose functions may be declared for the host already.
std::string with_own_includes(const std::string& text, const _mtrtcProgram& program, const std::string& file,
                              bool device_by_default) {
    static const auto& form = musa_sim::leaked<std::regex>("([ \\t]*#[ \\t]*include[ \\t]*)<([^>]+)>(.*)");
    std::istringstream lines(text);
    std::string result, line;
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
        std::smatch found;
        if (line.find("include") == std::string::npos || !std::regex_match(line, found, form)) {
            result += line + "\n";
        } else if (program.headers.count(found[2].str())) {
            result += found[1].str() + "\"" + found[2].str() + "\"" + found[3].str() + "\n";
        } else if (device_by_default) {
            result += for_both_end + line + "\n" + for_both_begin;
            result += "#line " + std::to_string(number + 1) + " \"" + file + "\"\n";
        } else {
            result += line + "\n";
        }
    }
    return result;
}

// Whether an expression is a cast, which chooses an overload, or in parentheses: its value is the address.
bool is_address(const std::string& expression) {
    return expression.rfind("(", 0) == 0 || expression.substr(0, expression.find('<')).find("_cast") != std::string::npos;
}

// Write the text that mcc compiles. Variables hold the addresses of the name expressions, in the pass for the device and
// in that for kernel stubs, so that both emit the functions and variables that they name. Messages about a name
// expression give its number as the line of a file of its own.
std::string text_of(const _mtrtcProgram& program, bool device_by_default) {
    std::string text;
    if (device_by_default) text += for_both_begin;
    text += "#line 1 \"" + program.name + "\"\n";
    text += with_own_includes(program.source, program, program.name, device_by_default);
    if (device_by_default) text += for_both_end;
    for (std::size_t i = 0; i < program.expressions.size(); ++i) {
        std::string named = program.expressions[i];
        named.erase(0, named.find_first_not_of(" &"));
        const std::string line = "#line " + std::to_string(i + 1) + " \"name expressions\"\n";
        const std::string value = variable(i) + " = (const void*)" + (is_address(named) ? "" : "&") + named + ";\n";
        text += "#ifdef __MUSA_SIM_STUBS__\n" + line + "__attribute__((used)) static const void* " + value;
        text += "#else\n" + line + "__device__ const void* " + value + "#endif\n";
    }
    return text;
}

// Return the symbol whose address a variable holds in LLVM's IR: `@x = ... global ptr @symbol, align 8`; "" for none.
std::string lowered_in(const std::string& ir, const std::string& variable) {
    const std::size_t start = ir.find("\n@" + variable + " = ");
    if (start == std::string::npos) return "";
    const std::string line = ir.substr(start + 1, ir.find('\n', start + 1) - start - 1);
    std::size_t at = line.find(" ptr @");
    if (at == std::string::npos) return "";
    at += std::strlen(" ptr @");
    return line.substr(at, line.find_first_of(", )", at) - at);
}

bool usable_name(const std::string& name) {
    const fs::path path = name;
    return !name.empty() && path.is_relative() && std::find(path.begin(), path.end(), "..") == path.end();
}

mtrtcResult compile(_mtrtcProgram& program, const mtrtc::Options& options) {
    const std::string mcc = sdk::mcc();
    if (mcc.empty()) {
        program.log = "libmtrtc.so lies in no SDK: there is no ../bin/mcc beside it";
        return MTRTC_ERROR_INTERNAL_ERROR;
    }
    const sdk::Folder workspace("mtrtc");
    for (const auto& [name, text] : program.headers) {
        const fs::path file = fs::path("headers") / name;
        workspace.write(file, with_own_includes(text, program, workspace.path(file.c_str()), options.device_by_default));
    }
    workspace.write("program.mu", text_of(program, options.device_by_default));
    const std::string headers = workspace.path("headers");
    std::vector<std::string> command{mcc,   "-x", "musa", "--cuda-device-only", "-O3", "-D__MUSACC_RTC__=1",
                                     "-iquote", headers, "-idirafter", headers};
    command.insert(command.end(), options.arguments.begin(), options.arguments.end());
    command.push_back(workspace.path("program.mu"));
    std::vector<std::string> to_image = command, to_ir = command;
    to_image.insert(to_image.end(), {"-c", "-o", workspace.path("image")});
    to_ir.insert(to_ir.end(), {"-w", "-S", "-emit-llvm", "-o", workspace.path("ir")});
    const bool done = sdk::succeeds(to_image, workspace.path("log")) &&
                      (program.expressions.empty() || sdk::succeeds(to_ir, workspace.path("log")));
    program.log = sdk::content_of(workspace.path("log"));
    if (!done) {
        const bool unknown = program.log.find("unknown argument") != std::string::npos;
        return unknown ? MTRTC_ERROR_INVALID_OPTION : MTRTC_ERROR_COMPILATION;
    }
    const std::string ir = program.expressions.empty() ? "" : sdk::content_of(workspace.path("ir"));
    for (std::size_t i = 0; i < program.expressions.size(); ++i) {
        program.lowered[program.expressions[i]] = lowered_in(ir, variable(i));
    }
    program.image = sdk::content_of(workspace.path("image"));
    return MTRTC_SUCCESS;
}

}  // namespace

MUSA_EXPORT mtrtcResult mtrtcVersion(int* major, int* minor) {
    if (!major || !minor) return MTRTC_ERROR_INVALID_INPUT;
    *major = MUSART_VERSION / 10000;
    *minor = MUSART_VERSION / 100 % 100;
    return MTRTC_SUCCESS;
}

MUSA_EXPORT const char* mtrtcGetErrorString(mtrtcResult result) {
    static const char* const names[] = {
        "MTRTC_SUCCESS",
        "MTRTC_ERROR_OUT_OF_MEMORY",
        "MTRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "MTRTC_ERROR_INVALID_INPUT",
        "MTRTC_ERROR_INVALID_PROGRAM",
        "MTRTC_ERROR_INVALID_OPTION",
        "MTRTC_ERROR_COMPILATION",
        "MTRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        "MTRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        "MTRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "MTRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        "MTRTC_ERROR_INTERNAL_ERROR",
    };
    const bool known = result >= 0 && static_cast<std::size_t>(result) < sizeof names / sizeof *names;
    return known ? names[result] : "MTRTC_ERROR unknown";
}

MUSA_EXPORT mtrtcResult mtrtcCreateProgram(mtrtcProgram* program, const char* source, const char* name,
                                          int header_count, const char* const* headers,
                                          const char* const* include_names) {
    if (!program || !source || header_count < 0 || (header_count > 0 && (!headers || !include_names))) {
        return MTRTC_ERROR_INVALID_INPUT;
    }
    auto made = std::make_unique<_mtrtcProgram>();
    made->source = source;
    made->name = name && *name ? name : "default_program";
    std::replace_if(made->name.begin(), made->name.end(), [](char c) { return std::strchr("\"\\\n", c); }, '_');
    for (int i = 0; i < header_count; ++i) {
        if (!headers[i] || !include_names[i] || !usable_name(include_names[i])) return MTRTC_ERROR_INVALID_INPUT;
        made->headers[include_names[i]] = headers[i];
    }
    *program = made.release();
    return MTRTC_SUCCESS;
}

MUSA_EXPORT mtrtcResult mtrtcDestroyProgram(mtrtcProgram* program) {
    if (!program || !*program) return MTRTC_ERROR_INVALID_PROGRAM;
    delete *program;
    *program = nullptr;
    return MTRTC_SUCCESS;
}

MUSA_EXPORT mtrtcResult mtrtcCompileProgram(mtrtcProgram program, int option_count, const char* const* options) {
    if (!program) return MTRTC_ERROR_INVALID_PROGRAM;
    if (option_count < 0 || (option_count > 0 && !options)) return MTRTC_ERROR_INVALID_INPUT;
    program->compiled = true;
    program->log.clear();
    program->image.clear();
    program->lowered.clear();
    const mtrtc::Options translated = mtrtc::translated({options, options + option_count});
    if (!translated.refusal.empty()) {
        program->log = translated.refusal;
        return MTRTC_ERROR_INVALID_OPTION;
    }
    try {
        return compile(*program, translated);
    } catch (const std::exception& error) {  // of files
        program->log = error.what();
        return MTRTC_ERROR_INTERNAL_ERROR;
    }
}

MUSA_EXPORT mtrtcResult mtrtcGetProgramLogSize(mtrtcProgram program, size_t* size) {
    if (!program) return MTRTC_ERROR_INVALID_PROGRAM;
    if (!size) return MTRTC_ERROR_INVALID_INPUT;
    *size = program->log.size() + 1;
    return MTRTC_SUCCESS;
}

MUSA_EXPORT mtrtcResult mtrtcGetProgramLog(mtrtcProgram program, char* log) {
    if (!program) return MTRTC_ERROR_INVALID_PROGRAM;
    if (!log) return MTRTC_ERROR_INVALID_INPUT;
    std::memcpy(log, program->log.c_str(), program->log.size() + 1);
    return MTRTC_SUCCESS;
}

MUSA_EXPORT mtrtcResult mtrtcGetFatBinSize(mtrtcProgram program, size_t* size) {
    if (!program || program->image.empty()) return MTRTC_ERROR_INVALID_PROGRAM;
    if (!size) return MTRTC_ERROR_INVALID_INPUT;
    *size = program->image.size();
    return MTRTC_SUCCESS;
}

MUSA_EXPORT mtrtcResult mtrtcGetFatBin(mtrtcProgram program, char* image) {
    if (!program || program->image.empty()) return MTRTC_ERROR_INVALID_PROGRAM;
    if (!image) return MTRTC_ERROR_INVALID_INPUT;
    std::memcpy(image, program->image.data(), program->image.size());
    return MTRTC_SUCCESS;
}

MUSA_EXPORT mtrtcResult mtrtcAddNameExpression(mtrtcProgram program, const char* expression) {
    if (!program) return MTRTC_ERROR_INVALID_PROGRAM;
    if (!expression) return MTRTC_ERROR_INVALID_INPUT;
    if (program->compiled) return MTRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    program->expressions.emplace_back(expression);
    return MTRTC_SUCCESS;
}

MUSA_EXPORT mtrtcResult mtrtcGetLoweredName(mtrtcProgram program, const char* expression, const char** lowered_name) {
    if (!program) return MTRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !lowered_name) return MTRTC_ERROR_INVALID_INPUT;
    if (program->image.empty()) return MTRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    const auto found = program->lowered.find(expression);
    if (found == program->lowered.end() || found->second.empty()) return MTRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *lowered_name = found->second.c_str();
    return MTRTC_SUCCESS;
}
