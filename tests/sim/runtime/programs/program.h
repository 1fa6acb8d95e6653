// Common functions of the test programs: arrays from stdin, arrays to stdout, checked calls.
#pragma once

#include <musa_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

inline void check(musaError_t error, const char* what) {
    if (error == musaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, musaGetErrorName(error));
    std::exit(3);
}
#define CHECK(call) check(call, #call)

inline void check_kernel() {
    CHECK(musaGetLastError());
    CHECK(musaDeviceSynchronize());
}

template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t size) : size_(size) {
        CHECK(musaMalloc(&data_, size * sizeof(T)));
        CHECK(musaMemset(data_, 0, size * sizeof(T)));
        // A non-blocking stream does not wait for the default one, which writes the zeros.
        CHECK(musaStreamSynchronize(nullptr));
    }
    ~DeviceArray() { musaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;

    static DeviceArray* read(std::size_t size) {
        std::vector<T> host(size);
        if (std::fread(host.data(), sizeof(T), size, stdin) != size) {
            std::fprintf(stderr, "stdin ended early\n");
            std::exit(2);
        }
        auto* array = new DeviceArray(size);
        CHECK(musaMemcpy(array->data_, host.data(), size * sizeof(T), musaMemcpyHostToDevice));
        return array;
    }

    std::vector<T> host() const {
        std::vector<T> result(size_);
        CHECK(musaMemcpy(result.data(), data_, size_ * sizeof(T), musaMemcpyDeviceToHost));
        return result;
    }
    void write() const {
        std::vector<T> values = host();
        std::fwrite(values.data(), sizeof(T), values.size(), stdout);
    }

    operator T*() const { return data_; }
    std::size_t size() const { return size_; }

private:
    T* data_ = nullptr;
    std::size_t size_;
};

template <class T>
DeviceArray<T>& input(std::size_t size) {
    return *DeviceArray<T>::read(size);
}

inline unsigned blocks_for(std::size_t size, unsigned block) {
    return size == 0 ? 1 : static_cast<unsigned>((size + block - 1) / block);
}
