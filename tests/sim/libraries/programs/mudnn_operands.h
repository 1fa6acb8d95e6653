// Shared by the programs of muDNN's tests: settings NAME=NUMBER,... and tensors ROLE:TYPE:SIZE,...:FORMAT on the command
// line, where the role is in, out or inout, or `none` for an empty tensor. The elements of in and inout come from stdin.
#pragma once

#include <musa_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

inline std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::string part;
    for (std::istringstream rest(text); std::getline(rest, part, at);) parts.push_back(part);
    return parts;
}

struct Settings {
    std::map<std::string, std::vector<double>> all;

    bool has(const std::string& name) const { return all.count(name) != 0; }
    double number(const std::string& name, double other = 0) const { return has(name) ? all.at(name).at(0) : other; }
    int whole(const std::string& name, int other = 0) const { return static_cast<int>(number(name, other)); }
    std::vector<int> integers(const std::string& name) const {
        return has(name) ? std::vector<int>(all.at(name).begin(), all.at(name).end()) : std::vector<int>();
    }
};

// A tensor of the command line, in memory that holds nothing useful where it is no input.
struct GivenOperand {
    explicit GivenOperand(const std::string& word) {
        static const std::map<std::string, size_t> widths = {{"float", 4}, {"double", 8}, {"half", 2}, {"bfloat16", 2},
                                                             {"int32", 4}, {"int64", 8},  {"uint8", 1}, {"bool", 1},
                                                             {"e4m3", 1},  {"e5m2", 1},   {"qint8", 1}};
        const auto parts = split(word, ':');
        role = parts[0];
        if (role == "none") return;
        type = parts[1];
        bytes = widths.at(type);
        size_t length = bytes;
        for (const auto& size : split(parts.size() > 2 ? parts[2] : "", ',')) {
            sizes.push_back(std::atoll(size.c_str()));
            length *= static_cast<size_t>(sizes.back());
        }
        format = parts.size() > 3 ? parts[3] : "";
        musaMallocManaged(&memory, length + 1);
        std::memset(memory, 0x5a, length);
        if (role != "out" && std::fread(memory, 1, length, stdin) != length) std::exit(2);
    }

    bool is_written() const { return role == "out" || role == "inout"; }

    std::string role, type, format;
    size_t bytes = 0;
    std::vector<int64_t> sizes;
    void* memory = nullptr;
};

// Write to stdout how many dimensions the operand has afterwards, their sizes, and the elements.
inline void show(const GivenOperand& operand, const std::vector<int64_t>& sizes) {
    const auto rank = static_cast<int64_t>(sizes.size());
    std::fwrite(&rank, sizeof rank, 1, stdout);
    std::fwrite(sizes.data(), sizeof(int64_t), sizes.size(), stdout);
    size_t length = operand.bytes;
    for (int64_t size : sizes) length *= static_cast<size_t>(size);
    std::fwrite(operand.memory, 1, length, stdout);
}

// Take the command line after the operation apart.
template <class Operand>
std::vector<Operand> operands_and(Settings& settings, char** words) {
    std::vector<Operand> operands;
    for (char** word = words; *word; ++word) {
        const auto parts = split(*word, '=');
        if (parts.size() == 1) operands.emplace_back(*word);
        else
            for (const auto& number : split(parts[1], ',')) settings.all[parts[0]].push_back(std::atof(number.c_str()));
    }
    return operands;
}
