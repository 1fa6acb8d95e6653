// whole_copies: loops that copy aligned classes, one thread each, in a kernel that tells others when it is done. Prints the
// number of wrong elements.
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include <musa_runtime.h>

template <class T>
__global__ void copy_all(const T* __restrict__ in, T* __restrict__ out, int count, int* done) {
    if (threadIdx.x != 0) return;
    for (int i = 0; i < count; ++i) out[i] = in[i];
    __threadfence();
    atomicAdd(done, 1);
}

template <class T>
void check(const char* name, std::mt19937& random) {
    const int count = 1 + random() % 500;
    std::vector<unsigned char> bytes(count * sizeof(T));
    for (auto& each : bytes) each = static_cast<unsigned char>(random());
    T *in, *out;
    int* done;
    musaMalloc(&in, bytes.size());
    musaMalloc(&out, bytes.size() + sizeof(T));
    musaMallocManaged(&done, sizeof(int));
    *done = 0;
    musaMemcpy(in, bytes.data(), bytes.size(), musaMemcpyHostToDevice);
    musaMemset(out, 0x5a, bytes.size() + sizeof(T));
    copy_all<<<1, 32>>>(in, out, count, done);
    std::vector<unsigned char> copied(bytes.size() + sizeof(T));
    musaMemcpy(copied.data(), out, copied.size(), musaMemcpyDeviceToHost);
    int wrong = std::memcmp(copied.data(), bytes.data(), bytes.size()) != 0;
    for (std::size_t i = bytes.size(); i < copied.size(); ++i) wrong += copied[i] != 0x5a;  // behind the last element
    std::printf("%s=%d %d\n", name, wrong, *done);
    musaFree(in);
    musaFree(out);
    musaFree(done);
}

int main() {
    std::mt19937 random(3);
    check<uchar2>("uchar2", random);
    check<uchar4>("uchar4", random);
    check<ushort4>("ushort4", random);
    check<int2>("int2", random);
    check<float4>("float4", random);
    check<double2>("double2", random);
}
