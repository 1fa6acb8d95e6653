// Everything at once, in the order least kind to it: standard headers after ours, `using namespace
// std`.
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <math_functions.h>
#include <musa.h>
#include <musa_bf16.h>
#include <musa_fp16.h>
#include <musa_runtime.h>
#include <musa_runtime_api.h>
#include <thrust/complex.h>
#include <vector_functions.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <complex>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace std;

__global__ void kernel(float* out) {
    out[0] = max(1, 3) + min(FLT_MIN, 2.0f) * 0 + isnan(out[0]) + abs(0);
    out[1] = std::max(2.5f, 1.0f);
    out[2] = fabs(-4.0);
}

int main() {
    const vector<int> numbers{1, 2, 3};
    const size_t a = 1, b = 0;
    float* out = nullptr;
    musaMallocManaged(&out, 16);
    kernel<<<1, 1>>>(out);
    musaDeviceSynchronize();
    cout << out[0] << " " << out[1] << " " << out[2] << " " << max(a, b) << " "
         << (max(1.0, 2.0) == 2.0 && abs(-1) == 1 && !isnan(1.0) &&
             *max_element(numbers.begin(), numbers.end()) == 3)
         << "\n";
}
