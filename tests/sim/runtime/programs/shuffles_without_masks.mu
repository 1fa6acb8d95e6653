// shuffles_without_masks TYPE: the 16-bit types in one warp, by the shuffles that CUDA had before version 9.
#include <musa_bf16.h>
#include <musa_fp16.h>

#include <string>

#include "program.h"

template <class T, class T2>
__global__ void shuffle(const unsigned short* in, unsigned short* out) {
    const int i = threadIdx.x;
    T mine;
    memcpy(&mine, in + i, sizeof mine);
    T2 pair;
    pair.x = pair.y = mine;
    const T found[] = {__shfl_up(mine, 2), __shfl_down(pair, 3).x, __shfl_xor(mine, 9), __shfl(pair, (i + 7) % 32).y};
    for (int k = 0; k < 4; ++k) memcpy(out + k * 32 + i, found + k, sizeof mine);
}

template <class T, class T2>
void run() {
    auto& in = input<unsigned short>(32);
    DeviceArray<unsigned short> out(4 * 32);
    shuffle<T, T2><<<1, 32>>>(in, out);
    check_kernel();
    out.write();
}

int main(int, char** argv) {
    std::string(argv[1]) == "half" ? run<__half, __half2>() : run<__mt_bfloat16, __mt_bfloat162>();
}
