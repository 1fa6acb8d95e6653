// Compiled by make_golden.sh without the SDK's headers, to keep the IR short: every way of passing an argument, a
// constant, a device and two managed variables, launch bounds, static and dynamic shared memory, the indices, a barrier,
// conversions of which C++ does not say the result.
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device, section("__musa_sim_managed")))
#define __launch_bounds__(...) __attribute__((annotate("musa_sim_launch_bounds", __VA_ARGS__)))
#define __shared__ __attribute__((shared)) thread_local
typedef unsigned long size_t;
struct dim3 {
    unsigned x, y, z;
};
extern "C" {
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void* = nullptr);
int cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, void*);
__device__ unsigned __musa_sim_thread_idx_x() __attribute__((const));
__device__ unsigned __musa_sim_block_idx_x() __attribute__((const));
__device__ unsigned __musa_sim_block_dim_x() __attribute__((const));
__device__ void __musa_sim_sync_threads() __attribute__((convergent));
}

struct Functor {};
struct Pair {
    double first;
    long second;
};
struct Floats {
    float x, y, z;
};
struct Large {
    double values[5];
};
struct Owner {
    int value;
    __host__ __device__ Owner() : value(0) {}
    __host__ __device__ Owner(const Owner& other) : value(other.value) {}
};

__constant__ float table[4];
__device__ int counter = 3;
__managed__ Pair total = {0.5, 7};
static __managed__ long* second = &total.second;

template <class T>
__global__ void many(T* out, Functor, Pair pair, Floats floats, bool flag, char letter, Large large, Owner owner,
                     short small, __int128 wide) {
    out[0] = pair.first + pair.second + floats.x + floats.z + flag + letter + large.values[2] + owner.value + small +
             (T)wide + table[1] + counter;
}

__global__ void __launch_bounds__(64, 4) shared(float* data, int n) {
    __shared__ float tile[64];
    extern __shared__ float dynamic[];
    unsigned i = __musa_sim_block_idx_x() * __musa_sim_block_dim_x() + __musa_sim_thread_idx_x();
    tile[__musa_sim_thread_idx_x()] = i < n ? data[i] : dynamic[0];
    __musa_sim_sync_threads();
    *second += 1;
    if (i < n) data[i] = tile[63 - __musa_sim_thread_idx_x()];
}

__global__ void convert(const float* in, const bool* flags, unsigned char* out) {
    int unset;
    out[0] = in[0];
    out[1] = (long)in[1] >> 3;
    if (flags[0]) out[2] = unset;
}

void launch(float* p) {
    total.first = 1.5;
    many<float><<<dim3{1, 1, 1}, dim3{1, 1, 1}>>>(p, Functor(), Pair(), Floats(), true, 'x', Large(), Owner(), 1, 2);
    shared<<<dim3{1, 1, 1}, dim3{64, 1, 1}, 16>>>(p, 64);
}
