// Print, for each function that returns a version: its name, its result, and what the header's macros say.
#include <mccl.h>
#include <mtml.h>
#include <mtrtc.h>
#include <mublas.h>
#include <mublasLt.h>
#include <mudnn.h>
#include <mufft.h>
#include <mupti.h>
#include <murand.h>
#include <musa.h>
#include <musa_runtime_api.h>
#include <musolverDn.h>
#include <musparse.h>

#include <cstdio>

namespace {

bool complete = true;

void print(const char* function, bool succeeded, long long returned, long long declared) {
    complete = complete && succeeded;
    std::printf("%s %lld %lld\n", function, returned, declared);
}

int property(libraryPropertyType type) {
    int value = -1;
    return mublasGetProperty(type, &value) == MUBLAS_STATUS_SUCCESS ? value : -1;
}

}  // namespace

int main() {
    int version = 0, minor = 0;
    print("musaRuntimeGetVersion", musaRuntimeGetVersion(&version) == musaSuccess, version, MUSART_VERSION);
    print("musaDriverGetVersion", musaDriverGetVersion(&version) == musaSuccess, version, MUSART_VERSION);
    print("muDriverGetVersion", muInit(0) == MUSA_SUCCESS && muDriverGetVersion(&version) == MUSA_SUCCESS, version,
          MUSA_VERSION);

    MUcontext context = nullptr;
    unsigned api = 0;
    bool done = muDevicePrimaryCtxRetain(&context, 0) == MUSA_SUCCESS;
    done = done && muCtxGetApiVersion(context, &api) == MUSA_SUCCESS;
    print("muCtxGetApiVersion", done, api, MUSA_VERSION);

    mublasHandle_t blas = nullptr;
    done = mublasCreate(&blas) == MUBLAS_STATUS_SUCCESS && mublasGetVersion(blas, &version) == MUBLAS_STATUS_SUCCESS;
    print("mublasGetVersion", done, version, MUBLAS_VERSION);
    version = property(MAJOR_VERSION) * 10000 + property(MINOR_VERSION) * 100 + property(PATCH_LEVEL);
    print("mublasGetProperty", true, version, MUBLAS_VERSION);
    print("mublasGetCudartVersion", true, static_cast<long long>(mublasGetCudartVersion()), MUSART_VERSION);
    print("mublasLtGetCudartVersion", true, static_cast<long long>(mublasLtGetCudartVersion()), MUSART_VERSION);
    print("mublasLtGetVersion", true, static_cast<long long>(mublasLtGetVersion()), MUBLAS_VERSION);

    musparseHandle_t sparse = nullptr;
    done = musparseCreate(&sparse) == MUSPARSE_STATUS_SUCCESS;
    done = done && musparseGetVersion(sparse, &version) == MUSPARSE_STATUS_SUCCESS;
    print("musparseGetVersion", done, version, MUSPARSE_VERSION);
    print("musolverGetVersion", musolverGetVersion(&version) == MUSOLVER_STATUS_SUCCESS, version, MUSOLVER_VERSION);
    print("GetVersion", true, static_cast<long long>(musa::dnn::GetVersion()), MUDNN_VERSION);
    print("mufftGetVersion", mufftGetVersion(&version) == MUFFT_SUCCESS, version, MUFFT_VERSION);
    print("murandGetVersion", murandGetVersion(&version) == MURAND_STATUS_SUCCESS, version, MURAND_VERSION);
    print("mcclGetVersion", mcclGetVersion(&version) == mcclSuccess, version, MCCL_VERSION_CODE);

    done = mtrtcVersion(&version, &minor) == MTRTC_SUCCESS;
    print("mtrtcVersion", done, version * 10000 + minor * 100, MUSART_VERSION);
    uint32_t profiler = 0;
    print("muptiGetVersion", muptiGetVersion(&profiler) == MUPTI_SUCCESS, profiler, MUPTI_API_VERSION);

    MtmlLibrary* library = nullptr;
    MtmlSystem* system = nullptr;
    char text[MTML_DRIVER_VERSION_BUFFER_SIZE];
    int parts[3] = {};
    done = mtmlLibraryInit(&library) == MTML_SUCCESS && mtmlLibraryInitSystem(library, &system) == MTML_SUCCESS;
    done = done && mtmlSystemGetDriverVersion(system, text, sizeof text) == MTML_SUCCESS;
    done = done && std::sscanf(text, "%d.%d.%d-", &parts[0], &parts[1], &parts[2]) == 3;
    print("mtmlSystemGetDriverVersion", done, parts[0] * 10000 + parts[1] * 100 + parts[2], MUSART_VERSION);
    return complete ? 0 : 1;
}
