// shared_addresses HEADER N: the 32 bits of N addresses, and what comes back from them a step further.
#include <musa_ptx.h>
#include <program.h>

namespace {

struct Layout {
    unsigned long long dynamic, near, pointer, step;
};

template <unsigned address_of(unsigned long long, unsigned long long),
          unsigned long long pointer_of(unsigned, unsigned long long, unsigned long long)>
__global__ void there_and_back(const Layout* layouts, int n, unsigned long long* pointers, unsigned* addresses) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const Layout& layout = layouts[i];
    addresses[i] = address_of(layout.pointer, layout.dynamic);
    pointers[i] = pointer_of(addresses[i] + static_cast<unsigned>(layout.step), layout.dynamic, layout.near);
}

template <class Kernel>
void run(Kernel kernel, int n) {
    const auto count = static_cast<std::size_t>(n);
    DeviceArray<Layout>& layouts = input<Layout>(count);
    DeviceArray<unsigned long long> pointers(count);
    DeviceArray<unsigned> addresses(count);
    kernel<<<blocks_for(count, 128), 128>>>(layouts, n, pointers, addresses);
    check_kernel();
    pointers.write();
    addresses.write();
}

__device__ int of_the_device[4];

__device__ int space_of(const void* pointer) {
    return (__isGlobal(pointer) ? 1 : 0) + (__isShared(pointer) ? 2 : 0) + (__isLocal(pointer) ? 4 : 0);
}

template <bool waits>
__global__ void spaces(int* memory, int* found) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[64];
    int own[8];
    for (int i = 0; i < 8; ++i) own[i] = memory[i] + static_cast<int>(threadIdx.x);
    if (waits) __syncthreads();
    const void* pointers[6] = {memory + threadIdx.x, of_the_device + 1, fixed + threadIdx.x, dynamic + threadIdx.x,
                               own + own[0] % 8, pointers + own[1] % 2};
    for (int i = 0; i < 6; ++i) found[6 * threadIdx.x + i] = space_of(pointers[i]);
}

template <bool waits>
void find_spaces() {
    DeviceArray<int> memory(64), found(64 * 6);
    CHECK(musaMemset(memory, 0, 64 * sizeof(int)));
    spaces<waits><<<1, 64, 64 * sizeof(int)>>>(memory, found);
    check_kernel();
    found.write();
}

__global__ void all_of_it(int* y) {
    extern __shared__ int dynamic[];
    const unsigned i = threadIdx.x;
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(dynamic + i));
    *static_cast<int*>(__cvta_shared_to_generic(address)) = static_cast<int>(i);
    *musa_ptx::shared_pointer<int>(musa_ptx::shared_address(dynamic + 64 + i)) = static_cast<int>(2 * i);
    __syncthreads();
    y[i] = dynamic[63 - i] + dynamic[127 - i];
}

void take_all_shared_memory() {
    musaDeviceProp properties{};
    CHECK(musaGetDeviceProperties(&properties, 0));
    const auto size = static_cast<int>(properties.sharedMemPerBlockOptin);
    CHECK(musaFuncSetAttribute(all_of_it, musaFuncAttributeMaxDynamicSharedMemorySize, size));
    DeviceArray<int> y(64);
    all_of_it<<<1, 64, static_cast<std::size_t>(size)>>>(y);
    check_kernel();
    y.write();
}

}  // namespace

int main(int, char** arguments) {
    const int n = std::atoi(arguments[2]);
    if (std::string(arguments[1]) == "spaces") return find_spaces<false>(), 0;
    if (std::string(arguments[1]) == "waiting") return find_spaces<true>(), 0;
    if (std::string(arguments[1]) == "all") return take_all_shared_memory(), 0;
    if (std::string(arguments[1]) == "ported") run(there_and_back<musa_ptx::shared_address_of, musa_ptx::generic_address_of>, n);
    else run(there_and_back<musa_sim_detail::shared_address_of, musa_sim_detail::generic_address_of>, n);
}
