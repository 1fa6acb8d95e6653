// expect line=musaSuccess
// expect longer=refused
// expect plane=musaSuccess
// expect higher=refused
// expect alignment=512
// expect rows=128
#include "probe.h"
static musaError_t made(size_t width, size_t height) {
    const musaChannelFormatDesc bytes = musaCreateChannelDesc<unsigned char>();
    musaArray_t array;
    const musaError_t status = musaMallocArray(&array, &bytes, width, height);
    (void)musaGetLastError();
    if (status == musaSuccess) CHECK(musaFreeArray(array));
    return status;
}
static const char* refused(musaError_t status) {
    return status == musaErrorInvalidValue ? "refused" : musaGetErrorName(status);
}
int main() {
    fact("line", made(131072, 0));
    fact("longer", refused(made(131073, 0)));
    fact("plane", made(1, 65536));
    fact("higher", refused(made(1, 65537)));
    musaDeviceProp properties;
    CHECK(musaGetDeviceProperties(&properties, 0));
    fact("alignment", static_cast<long long>(properties.textureAlignment));
    fact("rows", static_cast<long long>(properties.texturePitchAlignment));
}
