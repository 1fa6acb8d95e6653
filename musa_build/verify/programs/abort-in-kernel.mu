// refuted by compile-error
// expect error=musaErrorLaunchFailure
#include "probe.h"
__global__ void ask(int x) {
    if (x) abort();
}
int main() {
    ask<<<1, 1>>>(1);
    fact("error", ended());
}
