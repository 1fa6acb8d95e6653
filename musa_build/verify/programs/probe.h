// Shared by the probes: facts on stdout, checked calls, one number back from a kernel.
#pragma once
#include <musa_runtime.h>

#include <cstdio>
#include <cstdlib>

// Ends the program: the question cannot be answered here, and why.
inline void undecided(const char* why) {
    std::printf("undecided=%s\n", why);
    std::exit(0);
}
inline void check(musaError_t error, const char* what) {
    if (error == musaSuccess) return;
    std::printf("undecided=%s failed with %s\n", what, musaGetErrorName(error));
    std::exit(0);
}
#define CHECK(call) check(call, #call)

inline void fact(const char* name, long long value) { std::printf("%s=%lld\n", name, value); }
inline void fact(const char* name, const char* value) { std::printf("%s=%s\n", name, value); }
inline void fact(const char* name, musaError_t error) { fact(name, musaGetErrorName(error)); }

// The error of a launch, or of the kernel's run.
inline musaError_t ended() {
    const musaError_t launch = musaGetLastError();
    return launch != musaSuccess ? launch : musaDeviceSynchronize();
}

template <class T>
T* managed(int count) {
    T* data = nullptr;
    CHECK(musaMallocManaged(&data, count * sizeof(T)));
    for (int i = 0; i < count; ++i) data[i] = T();
    return data;
}

inline int architecture() {
    musaDeviceProp properties;
    CHECK(musaGetDeviceProperties(&properties, 0));
    return properties.major * 10 + properties.minor;
}
