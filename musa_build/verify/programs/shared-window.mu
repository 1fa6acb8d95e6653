// expect within=1
#include "probe.h"
extern __shared__ char dynamic[];
__global__ void distance(long long* out) {
    __shared__ char fixed[64];
    __shared__ int other;
    const long long addresses[3] = {reinterpret_cast<long long>(fixed), reinterpret_cast<long long>(dynamic),
                                 reinterpret_cast<long long>(&other)};
    long long most = 0;
    for (long long a : addresses)
        for (long long b : addresses) most = a - b > most ? a - b : most;
    fixed[threadIdx.x] = dynamic[threadIdx.x] = 1;
    other = 1;
    *out = most;
}
int main() {
    long long* out = managed<long long>(1);
    distance<<<1, 1, 64>>>(out);
    CHECK(ended());
    fact("within", static_cast<long long>(*out < (1ll << 31)));
}
