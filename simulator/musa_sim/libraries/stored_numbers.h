// Read and write numbers in memory. Numbers of 16 bits are computed in float and rounded once.
#pragma once

#include <musa_bf16.h>
#include <musa_fp16.h>

namespace musa_sim {

// Memory of type T is computed in Number; `number` reads, `stored` writes.
template <class T>
struct Element {
    using Number = T;
    static T number(T x) { return x; }
    static T stored(T x) { return x; }
};
template <>
struct Element<__half> {
    using Number = float;
    static float number(__half x) { return __half2float(x); }
    static __half stored(float x) { return __float2half_rn(x); }
};
template <>
struct Element<__mt_bfloat16> {
    using Number = float;
    static float number(__mt_bfloat16 x) { return __bfloat162float(x); }
    static __mt_bfloat16 stored(float x) { return __float2bfloat16_rn(x); }
};

}  // namespace musa_sim
