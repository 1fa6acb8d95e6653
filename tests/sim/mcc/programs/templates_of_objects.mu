#include <cstdio>
struct Fixed { int x; float y; };
struct Text { char text[3]; Fixed inner; };
template <Fixed F, Text T, int N, int* P> struct Named { int value = F.x + T.text[1] + T.inner.x + N; };
int global;
template <Fixed F> using Mine = Named<F, Text{"ab", {3, 4}}, 5, &global>;
template <Fixed F> __global__ void kernel(Mine<F> named, int* out) { *out = named.value; }
int main() {
    int *out;
    musaMallocManaged(&out, sizeof *out);
    kernel<Fixed{1, 2}><<<1, 1>>>({}, out);
    musaDeviceSynchronize();
    printf("%d\n", *out);
}
