// Ranks as threads of this process or as processes of their own.
#pragma once

#include <mccl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

inline void check(mcclResult_t result, const char* what) {
    if (result == mcclSuccess) return;
    std::fprintf(stderr, "%s: %d, %s\n", what, result, mcclGetLastError(nullptr));
    std::_Exit(1);
}
inline void check(musaError_t error, const char* what) {
    if (error == musaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, musaGetErrorString(error));
    std::_Exit(1);
}
#define CHECK(call) check(call, #call)

using Body = std::function<int(mcclUniqueId id, int rank)>;

inline int run_threads(int ranks, const Body& body) {
    mcclUniqueId id;
    CHECK(mcclGetUniqueId(&id));
    std::vector<int> status(static_cast<std::size_t>(ranks));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] { status[static_cast<std::size_t>(rank)] = body(id, rank); });
    for (std::thread& thread : threads) thread.join();
    for (int each : status) {
        if (each != 0) return each;
    }
    return 0;
}

// Rank 0 makes the id and sends it to the others, as with MPI. The status of the first that failed; a signal's is negative.
inline int run_processes(int ranks, const Body& body, std::vector<pid_t>* started = nullptr) {
    std::array<int, 2> pipe_ends{};
    if (pipe(pipe_ends.data()) != 0) std::_Exit(1);
    std::vector<pid_t> children;
    for (int rank = 0; rank < ranks; ++rank) {
        const pid_t child = fork();
        if (child == 0) {
            mcclUniqueId id;
            if (rank == 0) {
                CHECK(mcclGetUniqueId(&id));
                for (int other = 1; other < ranks; ++other) {
                    if (write(pipe_ends[1], &id, sizeof id) != sizeof id) std::_Exit(1);
                }
            } else if (read(pipe_ends[0], &id, sizeof id) != sizeof id) {
                std::_Exit(1);
            }
            const int status = body(id, rank);
            std::fflush(stdout);
            std::_Exit(status);
        }
        children.push_back(child);
    }
    if (started) *started = children;
    int result = 0;
    for (pid_t child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        const int each = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
        if (result == 0) result = each;
    }
    return result;
}

template <class T>
T* to_device(const std::vector<T>& values) {
    T* memory = nullptr;
    CHECK(musaMalloc(reinterpret_cast<void**>(&memory), values.size() * sizeof(T)));
    CHECK(musaMemcpy(memory, values.data(), values.size() * sizeof(T), musaMemcpyHostToDevice));
    return memory;
}

template <class T>
std::vector<T> to_host(const T* memory, std::size_t count) {
    std::vector<T> values(count);
    CHECK(musaMemcpy(values.data(), memory, count * sizeof(T), musaMemcpyDeviceToHost));
    return values;
}
