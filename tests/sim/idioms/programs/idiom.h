// Parts that the programs of this directory share: a registry of idioms, arrays of random numbers in managed memory, and a
// record of what kernels got and made, which reference.py compares with NumPy.
//     program SEED RECORD [IDIOM...]
// runs the idioms named, or all, writes their inputs and outputs to the file RECORD, and prints a line for each:
// `name ok`, or `name wrong: what`.
#pragma once

#include <musa_runtime.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>

struct Idiom {
    const char *name;
    void (*run)();
    Idiom *next;

    static Idiom *&first() {
        static Idiom *idioms = nullptr;
        return idioms;
    }
    Idiom(const char *name, void (*run)()) : name(name), run(run), next(first()) { first() = this; }
};

#define IDIOM(name)                          \
    static void name();                      \
    static Idiom idiom_##name(#name, name);  \
    static void name()

inline char (&complaint())[256] {
    static char text[256];
    return text;
}

inline void expect(bool holds, const char *format, ...) {
    if (holds || complaint()[0]) return;
    va_list values;
    va_start(values, format);
    vsnprintf(complaint(), sizeof complaint(), format, values);
    va_end(values);
}

#define EXPECT(condition) expect(condition, "line %d: %s", __LINE__, #condition)

// SplitMix64. Every idiom starts it anew from the seed, so that it gets the same numbers when it runs alone.
inline unsigned long long &random_state() {
    static unsigned long long state = 0;
    return state;
}
inline unsigned random_bits() {
    unsigned long long z = random_state() += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return static_cast<unsigned>(z >> 32);
}
inline unsigned random_below(unsigned limit) { return random_bits() % limit; }
inline double random_between(double low, double high) { return low + (high - low) * (random_bits() / 4294967296.0); }

// Waits for the kernels launched so far; they must have succeeded.
inline void finish() {
    musaError_t launched = musaGetLastError();
    musaError_t ended = musaDeviceSynchronize();
    expect(launched == musaSuccess, "launch: %s", musaGetErrorString(launched));
    expect(ended == musaSuccess, "kernel: %s", musaGetErrorString(ended));
}

// Zeroed memory that host and device see.
template <class T>
class Array {
public:
    explicit Array(int size) : size_(size) {
        if (musaMallocManaged(&data_, size * sizeof(T)) != musaSuccess) expect(false, "no memory");
        memset(static_cast<void *>(data_), 0, size * sizeof(T));
    }
    ~Array() { musaFree(data_); }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;

    operator T *() { return data_; }
    T *data() { return data_; }
    int size() const { return size_; }
    // Random integers from 0 to limit - 1: sums of them are exact in any order, floating point or not.
    Array &fill(unsigned limit) {
        for (int i = 0; i < size_; ++i) data_[i] = static_cast<T>(random_below(limit));
        return *this;
    }
    Array &fill(double low, double high) {
        for (int i = 0; i < size_; ++i) data_[i] = static_cast<T>(random_between(low, high));
        return *this;
    }

private:
    T *data_ = nullptr;
    int size_;
};

struct Record {
    FILE *file;
    const char *idiom;
};
inline Record &record() {
    static Record record = {};
    return record;
}

// One entry: a line with the idiom, `in` or `out`, a name, NumPy's type and the number of elements, then their bytes.
template <class T>
void write_record(const char *direction, const char *name, const T *values, int count) {
    static_assert(std::is_arithmetic<T>::value, "reference.py knows numbers only");
    const char kind = std::is_floating_point<T>::value ? 'f' : std::is_signed<T>::value ? 'i' : 'u';
    fprintf(record().file, "%s %s %s %c%zu %d\n", record().idiom, direction, name, kind, sizeof(T), count);
    fwrite(values, sizeof(T), count, record().file);
    fflush(record().file);
}

// Notes what a kernel is going to read; to be called before it is launched.
template <class T>
void input(const char *name, const T *values, int count) {
    write_record("in", name, values, count);
}
template <class T>
void input(const char *name, Array<T> &values) {
    input(name, values.data(), values.size());
}
// Waits for the kernels and notes what they made.
template <class T>
void output(const char *name, const T *values, int count) {
    finish();
    write_record("out", name, values, count);
}
template <class T>
void output(const char *name, Array<T> &values) {
    output(name, values.data(), values.size());
}

int main(int count, char **words) {
    if (count < 3) return fprintf(stderr, "usage: %s SEED RECORD [IDIOM...]\n", words[0]), 2;
    record().file = fopen(words[2], "wb");
    if (!record().file) return perror(words[2]), 2;
    for (Idiom *idiom = Idiom::first(); idiom; idiom = idiom->next) {
        bool wanted = count == 3;
        for (int i = 3; i < count; ++i) wanted = wanted || strcmp(words[i], idiom->name) == 0;
        if (!wanted) continue;
        complaint()[0] = 0;
        record().idiom = idiom->name;
        random_state() = strtoull(words[1], nullptr, 10);
        idiom->run();
        finish();
        printf("%s %s%s\n", idiom->name, complaint()[0] ? "wrong: " : "ok", complaint());
        fflush(stdout);
        musaDeviceReset();
    }
}
