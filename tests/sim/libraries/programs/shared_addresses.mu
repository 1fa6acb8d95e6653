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

}  // namespace

int main(int, char** arguments) {
    const int n = std::atoi(arguments[2]);
    if (std::string(arguments[1]) == "ported") run(there_and_back<musa_ptx::shared_address_of, musa_ptx::generic_address_of>, n);
    else run(there_and_back<musa_sim_detail::shared_address_of, musa_sim_detail::generic_address_of>, n);
}
