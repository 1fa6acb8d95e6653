// The second file of constants.mu: a constant of the same name.
#include "program.h"

__device__ const int plain[1] = {100};

int other_plain() {
    int value = 0;
    CHECK(musaMemcpyFromSymbol(&value, plain, sizeof value));
    return value;
}
