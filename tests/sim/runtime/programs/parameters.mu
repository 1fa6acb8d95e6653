// Parameters that the host function of a kernel copies as a whole: pointers to members, wide integers, vectors.
#include <cstdio>
#include <cstddef>
#include <musa_runtime.h>
struct A { int x, y; __host__ __device__ int get(int k) const { return x * k; } __host__ __device__ int sum(int k) const { return x + y + k; } };
using Method = int (A::*)(int) const;
struct Both { int A::*data; Method method; int n; };
struct Only { Method method; };
struct Two { Method m[2]; };
struct Empty {};
__global__ void data(int A::*m, int* out) { A a{3, 4}; out[threadIdx.x] = a.*m; }
__global__ void method(int first, Method m, int* out) { A a{3, 4}; out[threadIdx.x] = (a.*m)(first); }
__global__ void late(int a, int b, int c, int d, int e, int f, Method m, int* out) { A x{a, b}; out[0] = (x.*m)(c + d + e + f); }
__global__ void both(Both b, int* out) { A a{3, 4}; out[0] = a.*b.data + (a.*b.method)(b.n); }
__global__ void only(Only o, int k, int* out) { A a{3,4}; out[0] = (a.*o.method)(k); }
__global__ void two(Two o, int k, int* out) { A a{3,4}; out[0] = (a.*o.m[1])(k); }
__global__ void waits(Method m, int k, int* out) { A a{3,4}; out[threadIdx.x] = 1; __syncthreads(); out[threadIdx.x] = (a.*m)(k); }
__global__ void empties(Empty, int a, Empty, int b, int kernel_args, int* out) { out[0] = a * 100 + b * 10 + kernel_args; }
__global__ void wide(__int128 w, int a, int b, int c, int d, __int128 v, int* out) { out[0] = (int)(w >> 64) + a + b + c + d + (int)(v >> 64); }
__global__ void cplx(_Complex double z, _Complex float f, int* out) { out[0] = (int)(__real__ z * 1000 + __imag__ z * 100 + __real__ f * 10 + __imag__ f); }
typedef float vec4 __attribute__((ext_vector_type(4)));
typedef float vec3 __attribute__((ext_vector_type(3)));
__global__ void vecs(vec4 v, vec3 w, int* out) { out[0] = (int)(v.x * 1000 + v.w * 100 + w.x * 10 + w.z); }
__global__ void null(decltype(nullptr) n, int k, int* out) { out[0] = n == nullptr ? k : -1; }
int wrong, host[32], *out;
void check(const char* what, int wanted) {
    musaMemcpy(host, out, sizeof host, musaMemcpyDeviceToHost);
    if (host[0] == wanted) return;
    printf("%s: %d, not %d\n", what, host[0], wanted);
    ++wrong;
}
int main() {
    musaMalloc(&out, sizeof host);
    data<<<1, 1>>>(&A::y, out); check("data", 4);
    method<<<1, 1>>>(5, &A::get, out); check("method", 15);
    method<<<1, 1>>>(5, &A::sum, out); check("method", 12);
    late<<<1, 1>>>(1, 2, 3, 4, 5, 6, &A::sum, out); check("late", 21);
    both<<<1, 1>>>(Both{&A::x, &A::sum, 9}, out); check("both", 19);
    only<<<1, 1>>>(Only{&A::sum}, 2, out); check("only", 9);
    two<<<1, 1>>>(Two{{&A::sum, &A::get}}, 2, out); check("two", 6);
    waits<<<1, 32>>>(&A::get, 2, out); check("waits", 6);
    empties<<<1, 1>>>(Empty{}, 1, Empty{}, 2, 3, out); check("empties", 123);
    wide<<<1, 1>>>((__int128)1 << 64, 2, 3, 4, 5, (__int128)6 << 64, out); check("wide", 21);
    cplx<<<1, 1>>>(1.0 + 2.0i, 3.0f + 4.0fi, out); check("cplx", 1234);
    vecs<<<1, 1>>>(vec4{1, 0, 0, 2}, vec3{3, 0, 4}, out); check("vecs", 1234);
    null<<<1, 1>>>(nullptr, 8, out); check("null", 8);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
