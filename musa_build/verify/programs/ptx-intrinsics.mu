// refuted by compile-error
// expect lane=5
// expect below=31
// expect rounded=1065353217
// expect same=16
#include "probe.h"
__global__ void ask(unsigned* out) {
    const unsigned same = __match_any_sync(0xffffffffu, threadIdx.x / 16);
    if (threadIdx.x != 5) return;
    out[0] = __get_laneid();
    out[1] = __get_lanemask_lt();
    out[2] = __float_as_uint(__fmaf_ru(1.0f, 1.0f, 1e-10f));
    out[3] = __popc(same);
}
int main() {
    unsigned* out = managed<unsigned>(4);
    ask<<<1, 32>>>(out);
    CHECK(ended());
    fact("lane", out[0]);
    fact("below", out[1]);
    fact("rounded", out[2]);
    fact("same", out[3]);
}
