// Names that C++ lets a program have: `$`, letters outside of ASCII, types named after brackets and quotes.
#include <cstdio>
#include <musa_runtime.h>
struct S$ { int x; double y; float z[9]; };
struct Größe { int x; int y; int z; int w; int v; };
template <char C> struct Text { struct Inner { int x[5]; }; };
template <int (*f)(int)> struct Fn { struct Inner { int x[7]; }; };
struct W { int v; __host__ __device__ bool operator<(const W& o) const { return v < o.v; } };
template <bool (W::*m)(const W&) const> struct By { struct Inner { int x[6]; }; };
__device__ int größe$[4] = {1, 2, 3, 4};
__constant__ int größe[4];
__managed__ int shared$ = 5;
__managed__ int größer = 6;
namespace n$_ { namespace ä { namespace {
__global__ void dynamic(unsigned* out$, int größe$) {
    extern __shared__ unsigned dyn$[];
    dyn$[threadIdx.x] = threadIdx.x + größe$;
    __syncthreads();
    out$[threadIdx.x] = dyn$[31 - threadIdx.x];
}
} } }
extern __shared__ unsigned outer$[];
extern __shared__ unsigned dünn[];
__global__ void outer(unsigned* out) { outer$[threadIdx.x] = threadIdx.x; __syncthreads(); out[threadIdx.x] = outer$[31 - threadIdx.x]; }
__global__ void thin(unsigned* out) { dünn[threadIdx.x] = threadIdx.x; __syncthreads(); out[threadIdx.x] = dünn[31 - threadIdx.x]; }
__global__ void k$(unsigned* out, int n$) {
    __shared__ unsigned s$[32];
    s$[threadIdx.x] = n$;
    out[threadIdx.x] = 1;
    __syncthreads();
    float sum$ = out[0];
    for (int i$ = 0; i$ < n$; ++i$) sum$ += __shfl_xor_sync(0xffffffff, sum$, 1);
    if (n$ > 100) {
        sum$ = n$;
        __syncthreads();
    }
    out[threadIdx.x] = sum$ + s$[3];
}
__global__ void typed(unsigned* out, S$ s) { out[threadIdx.x] = s.x; __syncthreads(); }
__global__ void __launch_bounds__(64) größter(unsigned* out, Größe g, int n) { if (threadIdx.x < n) out[threadIdx.x] = g.v; }
__global__ void kÜ(unsigned* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 3 + größe[1] + größe$[1];
}
__global__ void text(int a, Text<'<'>::Inner in, int b, unsigned* out) { out[7] = a * 100 + in.x[2] * 10 + b; }
__global__ void paren(int a, Text<'('>::Inner in, int b, unsigned* out) { out[7] = a * 100 + in.x[2] * 10 + b; __syncthreads(); }
__global__ void closed(int a, Text<')'>::Inner in, int b, Text<'}'>::Inner, Text<'"'>::Inner q, unsigned* out) { out[7] = a * 100 + in.x[2] * 10 + b + q.x[0]; }
__global__ void less(int a, By<&W::operator< >::Inner in, int b, unsigned* out) { out[7] = a * 100 + in.x[2] * 10 + b; }
__global__ void comma(int a, Text<','>::Inner in, Text<'>'>::Inner j, Text<'\\'>::Inner k, Text<'['>::Inner l, int b, unsigned* out) { in.x[2] += threadIdx.x; out[7] = a * 100 + in.x[2] * 10 + b + j.x[0] + k.x[0] + l.x[0]; }
__global__ void all(unsigned* out) { out[7] = shared$ + größer; shared$ = 10; größer = 20; }
__global__ void beyond_local(int n, unsigned* out) {
    int örtlich$[4] = {};
    örtlich$[n] = 3;
    out[0] = örtlich$[n & 3];
}
__device__ int länge$[4];
__global__ void beyond_global(int n) { länge$[n] = 3; }
int main(int argc, char**) {
    unsigned host[32], *out;
    musaMalloc(&out, sizeof host);
    if (argc > 1) {
        if (argc == 2) beyond_local<<<1, 1>>>(4, out);
        if (argc == 3) beyond_global<<<1, 1>>>(4);
        return musaDeviceSynchronize() == musaSuccess;
    }
    int wrong = 0, at = 0;
    auto check = [&](unsigned wanted) {
        musaMemcpy(host, out, sizeof host, musaMemcpyDeviceToHost);
        ++at;
        if (host[7] == wanted) return;
        printf("%d: %u, not %u (%s)\n", at, host[7], wanted, musaGetErrorString(musaGetLastError()));
        ++wrong;
    };
    int c[4] = {10, 20, 30, 40};
    musaMemcpyToSymbol(größe, c, sizeof c);
    n$_::ä::dynamic<<<1, 32, 128>>>(out, 5); check(29);
    outer<<<1, 32, 128>>>(out); check(24);
    thin<<<1, 32, 128>>>(out); check(24);
    k$<<<1, 32>>>(out, 2); check(6);
    typed<<<1, 32>>>(out, S${5}); check(5);
    größter<<<1, 32>>>(out, Größe{1, 2, 3, 4, 5}, 32); check(5);
    kÜ<<<1, 32>>>(out, 32); check(25);
    text<<<1, 1>>>(7, {10, 11, 2, 13, 14}, 9, out); check(729);
    paren<<<1, 1>>>(7, {10, 11, 2, 13, 14}, 9, out); check(729);
    closed<<<1, 1>>>(7, {10, 11, 2, 13, 14}, 9, {}, {1}, out); check(730);
    less<<<1, 1>>>(7, {10, 11, 2, 13, 14}, 9, out); check(729);
    comma<<<1, 1>>>(7, {10, 11, 2, 13, 14}, {1}, {2}, {3}, 9, out); check(735);
    all<<<1, 1>>>(out); check(11);
    musaDeviceSynchronize();
    if (shared$ != 10 || größer != 20) { printf("managed %d %d\n", shared$, größer); ++wrong; }
    musaFree(out);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
