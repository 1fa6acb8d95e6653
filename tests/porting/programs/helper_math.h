#pragma once
#include <cuda_runtime.h>
#include <math.h>
inline __device__ __host__ float lerp(float a, float b, float t) { return a + t * (b - a); }
inline __device__ __host__ float2 lerp(float2 a, float2 b, float t) {
    return make_float2(lerp(a.x, b.x, t), lerp(a.y, b.y, t));
}
