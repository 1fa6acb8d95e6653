// mufft TYPE OUTPUT DIRECTION INPUT_BYTES OUTPUT_BYTES BATCH RANK n... [inembed... istride idist onembed... ostride odist]:
// one transform of the bytes from stdin, the output to stdout. OUTPUT: "in" (over the input) or "out".
#include <mufft.h>

#include <map>
#include <string>

#include "program.h"

void require(mufftResult result, const char* what) {
    if (result == MUFFT_SUCCESS) return;
    std::fprintf(stderr, "%s: %d\n", what, result);
    std::exit(3);
}
#define FFT(call) require((call), #call)

mufftResult execute(mufftHandle plan, mufftType type, void* in, void* out, int direction) {
    switch (type) {
        case MUFFT_C2C: return mufftExecC2C(plan, (mufftComplex*)in, (mufftComplex*)out, direction);
        case MUFFT_Z2Z: return mufftExecZ2Z(plan, (mufftDoubleComplex*)in, (mufftDoubleComplex*)out, direction);
        case MUFFT_R2C: return mufftExecR2C(plan, (mufftReal*)in, (mufftComplex*)out);
        case MUFFT_D2Z: return mufftExecD2Z(plan, (mufftDoubleReal*)in, (mufftDoubleComplex*)out);
        case MUFFT_C2R: return mufftExecC2R(plan, (mufftComplex*)in, (mufftReal*)out);
        case MUFFT_Z2D: return mufftExecZ2D(plan, (mufftDoubleComplex*)in, (mufftDoubleReal*)out);
    }
    return MUFFT_INVALID_TYPE;
}

mufftHandle make(mufftType type, int batch, int rank, int* n, int* layout) {
    mufftHandle plan = 0;
    if (layout) {
        int* at = layout;
        FFT(mufftPlanMany(&plan, rank, n, at, at[rank], at[rank + 1], at + rank + 2, at[2 * rank + 2], at[2 * rank + 3],
                          type, batch));
    } else if (batch != 1 && rank != 1) {
        FFT(mufftPlanMany(&plan, rank, n, nullptr, 1, 0, nullptr, 1, 0, type, batch));
    } else if (rank == 1) {
        FFT(mufftPlan1d(&plan, n[0], type, batch));
    } else if (rank == 2) {
        FFT(mufftPlan2d(&plan, n[0], n[1], type));
    } else {
        FFT(mufftPlan3d(&plan, n[0], n[1], n[2], type));
    }
    return plan;
}

int main(int argc, char** argv) {
    const std::map<std::string, mufftType> types{{"C2C", MUFFT_C2C}, {"Z2Z", MUFFT_Z2Z}, {"R2C", MUFFT_R2C},
                                                 {"D2Z", MUFFT_D2Z}, {"C2R", MUFFT_C2R}, {"Z2D", MUFFT_Z2D}};
    const mufftType type = types.at(argv[1]);
    const bool in_place = std::string(argv[2]) == "in";
    std::vector<int> numbers;
    for (int i = 3; i < argc; ++i) numbers.push_back(std::atoi(argv[i]));
    const int direction = numbers[0], rank = numbers[4];
    int* n = &numbers[5];
    int* layout = static_cast<int>(numbers.size()) > 5 + rank ? n + rank : nullptr;

    auto& in = input<char>(static_cast<std::size_t>(numbers[1]));
    DeviceArray<char> out(static_cast<std::size_t>(numbers[2]));
    musaStream_t stream;
    CHECK(musaStreamCreate(&stream));
    const mufftHandle plan = make(type, numbers[3], rank, n, layout);
    FFT(mufftSetStream(plan, stream));
    FFT(execute(plan, type, in, in_place ? in : out, direction));
    FFT(mufftDestroy(plan));  // a running transform keeps its plan
    CHECK(musaStreamSynchronize(stream));
    (in_place ? in : out).write();
    if (mufftDestroy(plan) != MUFFT_INVALID_PLAN) return 4;
    return execute(plan, type, in, out, direction) == MUFFT_INVALID_PLAN ? 0 : 5;
}
