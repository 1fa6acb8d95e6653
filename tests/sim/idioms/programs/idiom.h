// What the programs of this directory share: a registry of idioms, arrays in managed memory, and comparisons with what
// a plain loop on the host computes. A program runs the idioms named on its command line, or all, and prints a line for
// each: `name ok`, or `name wrong: what`.
#pragma once

#include <musa_runtime.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

template <class T>
void expect_equal(const T *got, const T *wanted, int count, double tolerance = 0) {
    for (int i = 0; i < count; ++i) {
        const double difference = static_cast<double>(got[i]) - static_cast<double>(wanted[i]);
        expect(difference <= tolerance && -difference <= tolerance, "[%d] is %.9g, wanted %.9g", i,
               static_cast<double>(got[i]), static_cast<double>(wanted[i]));
    }
}

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
    // Numbers that look random and are the same in every run.
    Array &fill(unsigned seed, unsigned below) {
        unsigned state = seed * 2654435761u + 1;
        for (int i = 0; i < size_; ++i) {
            state = state * 1664525u + 1013904223u;
            data_[i] = static_cast<T>((state >> 8) % below);
        }
        return *this;
    }

private:
    T *data_ = nullptr;
    int size_;
};

int main(int count, char **names) {
    for (Idiom *idiom = Idiom::first(); idiom; idiom = idiom->next) {
        bool wanted = count == 1;
        for (int i = 1; i < count; ++i) wanted = wanted || strcmp(names[i], idiom->name) == 0;
        if (!wanted) continue;
        complaint()[0] = 0;
        idiom->run();
        finish();
        printf("%s %s%s\n", idiom->name, complaint()[0] ? "wrong: " : "ok", complaint());
        fflush(stdout);
        musaDeviceReset();
    }
}
