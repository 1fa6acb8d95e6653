#include <cstdio>
#include <musa.h>
#include <mufft.h>
int main() {
    mufftHandle plan;
    std::printf("%d %d\n", muInit(0), mufftPlan1d(&plan, 8, MUFFT_C2C, 1));
}
