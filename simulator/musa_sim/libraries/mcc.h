// Run mcc, from a library of the SDK that it belongs to.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

extern char** environ;

namespace sdk {

// A folder for the files of one command.
class Folder {
public:
    explicit Folder(const std::string& name) {
        std::string pattern = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
        if (!mkdtemp(pattern.data())) throw std::system_error(errno, std::generic_category());
        path_ = pattern;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string path(const std::string& name) const { return (path_ / name).string(); }
    template <class Bytes>
    void write(const std::filesystem::path& name, const Bytes& bytes) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream stream(path_ / name, std::ios::binary);
        stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        if (!stream.flush()) throw std::system_error(errno, std::generic_category(), path(name.string()));
    }

private:
    std::filesystem::path path_;
};

// Return bin/mcc of the SDK that contains this library, "" if there is none.
inline std::string mcc() {
    Dl_info here{};
    if (!dladdr(reinterpret_cast<const void*>(&mcc), &here)) return "";
    const std::string file = here.dli_fname;
    const std::string program = file.substr(0, file.rfind('/') + 1) + "../bin/mcc";
    return access(program.c_str(), X_OK) == 0 ? program : "";
}

// Run a program with both outputs in the file `log`; return whether it succeeded.
inline bool succeeds(const std::vector<std::string>& command, const std::string& log) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = -1;
    const bool started = posix_spawn(&child, words[0], &files, nullptr, words.data(), environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    int status = -1;
    while (started && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return started && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

inline std::string content_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace sdk
