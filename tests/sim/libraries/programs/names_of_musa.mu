// names_of_musa CASE N: names that public MUSA code uses and CUDA's headers do not have, each on random data.
#include <musa_bf16.h>
#include <musa_fp16.h>
#include <musa_occupancy.h>
#include <program.h>

namespace {

__global__ void convert(const float* x, int n, signed char* bytes, unsigned char* unsigned_bytes, float* numbers) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    bytes[2 * i] = __float2char_rn_sat(x[i]);
    bytes[2 * i + 1] = __float2char_rz_sat(x[i]);
    unsigned_bytes[2 * i] = __musa_f2uc_rn_sat(x[i]);
    unsigned_bytes[2 * i + 1] = __musa_f2uc_rz_sat(x[i]);
    numbers[2 * i] = __musa_float_to_tf32(x[i]);
    numbers[2 * i + 1] = __musa_exp2_f(x[i]);
}

void conversions(int n) {
    DeviceArray<float>& x = input<float>(static_cast<std::size_t>(n));
    const auto twice = static_cast<std::size_t>(2 * n);
    DeviceArray<signed char> bytes(twice);
    DeviceArray<unsigned char> unsigned_bytes(twice);
    DeviceArray<float> numbers(twice);
    convert<<<blocks_for(x.size(), 128), 128>>>(x, n, bytes, unsigned_bytes, numbers);
    check_kernel();
    bytes.write();
    unsigned_bytes.write();
    numbers.write();
}

// Four at a time, there and back, and the bits of the raw types.
__global__ void convert_fours(const float4* x, int n, __half4* halves, __mt_bfloat164* bfloats, float4* back,
                              unsigned short* raw) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    halves[i] = __float42half4_rn(x[i]);
    bfloats[i] = __float42bfloat164_rn(x[i]);
    back[2 * i] = __half42float4(halves[i]);
    back[2 * i + 1] = __bfloat1642float4(bfloats[i]);
    using Half = decltype(__half_raw{}.data);
    using Bfloat = decltype(__mt_bfloat16_raw{}.data);
    using Halves = Half __attribute__((ext_vector_type(4)));
    using Bfloats = Bfloat __attribute__((ext_vector_type(4)));
    static_assert(sizeof(Halves) == sizeof(__half4) && alignof(__half4) == 8, "");
    static_assert(sizeof(Bfloats) == sizeof(__mt_bfloat164) && alignof(__mt_bfloat164) == 8, "");
    const __half_raw half = halves[i].x;
    const __mt_bfloat16_raw bfloat = bfloats[i].w;
    const Half h = half.data;
    const Bfloat b = bfloat.data;
    __builtin_memcpy(raw + 2 * i, &h, 2);
    __builtin_memcpy(raw + 2 * i + 1, &b, 2);
}

void fours(int n) {
    DeviceArray<float4>& x = input<float4>(static_cast<std::size_t>(n));
    const auto count = static_cast<std::size_t>(n);
    DeviceArray<__half4> halves(count);
    DeviceArray<__mt_bfloat164> bfloats(count);
    DeviceArray<float4> back(2 * count);
    DeviceArray<unsigned short> raw(2 * count);
    convert_fours<<<blocks_for(x.size(), 64), 64>>>(x, n, halves, bfloats, back, raw);
    check_kernel();
    halves.write();
    bfloats.write();
    back.write();
    raw.write();
}

// The four shuffles without a mask: of a whole warp, in segments, and of the odd lanes alone.
template <class T>
__global__ void shuffle(const T* x, int width, T* y) {
    const int lane = static_cast<int>(threadIdx.x), n = static_cast<int>(blockDim.x);
    const T mine = x[lane];
    y[lane] = __shfl(mine, 5, width);
    y[n + lane] = __shfl_up(mine, 3u, width);
    y[2 * n + lane] = __shfl_down(mine, 2u, width);
    y[3 * n + lane] = __shfl_xor(mine, 1, width);
    if (lane & 1) y[4 * n + lane] = __shfl(mine, 7, width);
}

template <class T>
void shuffles(int width) {
    constexpr unsigned block = 96;
    DeviceArray<T>& x = input<T>(block);
    DeviceArray<T> y(5 * block);
    shuffle<<<1, block>>>(static_cast<T*>(x), width, static_cast<T*>(y));
    check_kernel();
    y.write();
}

// Addresses of shared memory with 32 bits, and back: of a static and of the dynamic array.
__global__ void through_numbers(const int* x, int* y) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[64];
    const unsigned i = threadIdx.x;
    const auto a = static_cast<unsigned>(__cvta_generic_to_shared(fixed + i));
    const auto b = static_cast<unsigned>(__cvta_generic_to_shared(dynamic + i));
    *static_cast<int*>(__cvta_shared_to_generic(a)) = x[i];
    *static_cast<int*>(__cvta_shared_to_generic(b)) = x[64 + i];
    __syncthreads();
    const size_t address = __cvta_generic_to_global(y + i);
    *static_cast<int*>(__cvta_global_to_generic(address)) = fixed[63 - i];
    y[64 + i] = dynamic[63 - i];
}

void addresses() {
    DeviceArray<int>& x = input<int>(128);
    DeviceArray<int> y(128);
    through_numbers<<<1, 64, 64 * sizeof(int)>>>(x, y);
    check_kernel();
    y.write();
}

__global__ void child() {}
__global__ void parent(int* y) {
    y[0] = musaGetParameterBuffer(64, 8) == nullptr;
    y[1] = musaLaunchDevice(reinterpret_cast<void*>(&child), nullptr, dim3(1), dim3(1), 0, nullptr);
}

void device_launch() {
    DeviceArray<int> y(2);
    parent<<<1, 1>>>(y);
    check_kernel();
    y.write();
}

template <int words>
__global__ void holds(int* p) {
    __shared__ int memory[words];
    memory[threadIdx.x % words] = *p;
    *p = memory[0];
}

// The calculator and the runtime API, for one kernel and many sizes of blocks: pairs.
template <int words>
void occupancy_of(musaOccDeviceProp properties) {
    musaFuncAttributes attributes{};
    CHECK(musaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&holds<words>)));
    const musaOccFuncAttributes same(attributes);
    const musaOccDeviceState state;
    for (int block = 1; block <= 1056; block += 35) {
        for (const size_t dynamic : {0, 100, 5000, 20000}) {
            musaOccResult result;
            int blocks = -1;
            if (musaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &same, &state, block, dynamic)) std::exit(5);
            CHECK(musaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<const void*>(&holds<words>), block,
                                                                dynamic));
            const int pair[2] = {result.activeBlocksPerMultiprocessor, blocks};
            std::fwrite(pair, sizeof pair, 1, stdout);
        }
    }
}

void occupancy() {
    musaDeviceProp properties{};
    CHECK(musaGetDeviceProperties(&properties, 0));
    occupancy_of<1>(properties);
    occupancy_of<1000>(properties);
}

}  // namespace

int main(int, char** arguments) {
    const std::string name = arguments[1];
    const int n = std::atoi(arguments[2]);
    if (name == "conversions") conversions(n);
    if (name == "fours") fours(n);
    if (name == "i4") shuffles<int>(n);
    if (name == "u4") shuffles<unsigned>(n);
    if (name == "i8") shuffles<long long>(n);
    if (name == "u8") shuffles<unsigned long>(n);
    if (name == "f4") shuffles<float>(n);
    if (name == "f8") shuffles<double>(n);
    if (name == "addresses") addresses();
    if (name == "device_launch") device_launch();
    if (name == "occupancy") occupancy();
}
