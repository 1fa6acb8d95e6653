// expect middle=0.500000
// expect fraction=0.250000
// expect rounded=0.250000
// expect below=0.000000
#include "probe.h"
// 0.25 + 1/1024 rounds to 64/256: fractions have 8 bits
__global__ void fetch(musaTextureObject_t texture, float* out) {
    out[0] = tex1D<float>(texture, 1.0f);
    out[1] = tex1D<float>(texture, 0.75f);
    out[2] = tex1D<float>(texture, 0.75f + 1.0f / 1024);
    out[3] = tex1D<float>(texture, -5.0f);
}
int main() {
    const float values[2] = {0, 1};
    const musaChannelFormatDesc floats = musaCreateChannelDesc<float>();
    musaArray_t array;
    CHECK(musaMallocArray(&array, &floats, 2, 0));
    CHECK(musaMemcpy2DToArray(array, 0, 0, values, sizeof values, sizeof values, 1, musaMemcpyHostToDevice));
    musaResourceDesc resource = {};
    resource.resType = musaResourceTypeArray;
    resource.res.array.array = array;
    musaTextureDesc description = {};
    description.addressMode[0] = musaAddressModeClamp;
    description.filterMode = musaFilterModeLinear;
    description.readMode = musaReadModeElementType;
    musaTextureObject_t texture;
    CHECK(musaCreateTextureObject(&texture, &resource, &description, nullptr));
    float* out = managed<float>(4);
    fetch<<<1, 1>>>(texture, out);
    CHECK(ended());
    const char* names[4] = {"middle", "fraction", "rounded", "below"};
    for (int i = 0; i < 4; ++i) std::printf("%s=%f\n", names[i], out[i]);
}
