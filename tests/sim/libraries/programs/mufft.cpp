// mufft TYPE OUTPUT DIRECTION INPUT_BYTES OUTPUT_BYTES BATCH RANK n... [inembed... istride idist onembed... ostride odist]:
// one transform of the bytes from stdin, the output to stdout. OUTPUT: "in" (over the input), "out", or "xt" (out, by mufftXt).
#include <mufftXt.h>

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

// The same by the types of the data, with sizes of 64 bits.
mufftHandle make_by_types(mufftType type, int batch, int rank, const int* n, const int* layout) {
    const std::map<mufftType, std::vector<musaDataType>> types{
        {MUFFT_C2C, {MUSA_C_32F, MUSA_C_32F, MUSA_C_32F}}, {MUFFT_Z2Z, {MUSA_C_64F, MUSA_C_64F, MUSA_C_64F}},
        {MUFFT_R2C, {MUSA_R_32F, MUSA_C_32F, MUSA_C_32F}}, {MUFFT_D2Z, {MUSA_R_64F, MUSA_C_64F, MUSA_C_64F}},
        {MUFFT_C2R, {MUSA_C_32F, MUSA_R_32F, MUSA_C_32F}}, {MUFFT_Z2D, {MUSA_C_64F, MUSA_R_64F, MUSA_C_64F}}};
    const auto& data = types.at(type);
    std::vector<long long> wide(n, n + rank), in, out;
    long long istride = 1, idist = 1, ostride = 1, odist = 1;
    if (layout) {
        in.assign(layout, layout + rank);
        out.assign(layout + rank + 2, layout + 2 * rank + 2);
        istride = layout[rank], idist = layout[rank + 1], ostride = layout[2 * rank + 2], odist = layout[2 * rank + 3];
    }
    mufftHandle plan = 0;
    size_t work = 1, estimate = 1;
    FFT(mufftCreate(&plan));
    FFT(mufftSetAutoAllocation(plan, 0));
    long long* const in_embed = layout ? in.data() : nullptr;
    long long* const out_embed = layout ? out.data() : nullptr;
    if (mufftXtMakePlanMany(plan, rank, wide.data(), in_embed, istride, idist, MUSA_C_16F, out_embed, ostride, odist,
                            MUSA_C_16F, batch, &work, MUSA_C_16F) != MUFFT_NOT_SUPPORTED)
        std::exit(6);
    FFT(mufftXtGetSizeMany(plan, rank, wide.data(), in_embed, istride, idist, data[0], out_embed, ostride, odist, data[1],
                           batch, &estimate, data[2]));
    FFT(mufftXtMakePlanMany(plan, rank, wide.data(), in_embed, istride, idist, data[0], out_embed, ostride, odist, data[1],
                            batch, &work, data[2]));
    if (work > estimate) std::exit(7);
    return plan;
}

mufftHandle make(mufftType type, int batch, int rank, int* n, int* layout) {
    mufftHandle plan = 0;
    size_t estimate = 1, size = 2;
    if (rank == 1) FFT(mufftEstimate1d(n[0], type, batch, &estimate));
    if (rank == 2) FFT(mufftEstimate2d(n[0], n[1], type, &estimate));
    if (rank == 3) FFT(mufftEstimate3d(n[0], n[1], n[2], type, &estimate));
    if (layout && batch % 2 == 1) {
        const std::vector<long long> wide(n, n + rank), in(layout, layout + rank), out(layout + rank + 2, layout + 2 * rank + 2);
        const auto at = [](const std::vector<long long>& numbers) { return const_cast<long long*>(numbers.data()); };
        FFT(mufftCreate(&plan));
        FFT(mufftGetSizeMany64(plan, rank, at(wide), at(in), layout[rank], layout[rank + 1], at(out), layout[2 * rank + 2],
                               layout[2 * rank + 3], type, batch, &size));
        FFT(mufftXtSetWorkAreaPolicy(plan, MUFFT_WORKAREA_MINIMAL, nullptr));
        FFT(mufftMakePlanMany64(plan, rank, at(wide), at(in), layout[rank], layout[rank + 1], at(out), layout[2 * rank + 2],
                                layout[2 * rank + 3], type, batch, &estimate));
        if (size != estimate || mufftGetSize1d(plan, 0, type, 1, &size) != MUFFT_INVALID_SIZE) std::exit(7);
        if (mufftGetSize1d(plan + 1000, 8, type, 1, &size) != MUFFT_INVALID_PLAN) std::exit(7);
    } else if (layout) {
        int* at = layout;
        FFT(mufftEstimateMany(rank, n, at, at[rank], at[rank + 1], at + rank + 2, at[2 * rank + 2], at[2 * rank + 3], type, batch,
                              &estimate));
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
    const bool by_types = std::string(argv[2]) == "xt";
    const mufftHandle plan = by_types ? make_by_types(type, numbers[3], rank, n, layout) : make(type, numbers[3], rank, n, layout);
    FFT(mufftSetStream(plan, stream));
    if (by_types) {
        FFT(mufftXtExec(plan, in, out, direction));
    } else {
        FFT(execute(plan, type, in, in_place ? in : out, direction));
    }
    FFT(mufftDestroy(plan));  // a running transform keeps its plan
    CHECK(musaStreamSynchronize(stream));
    (in_place ? in : out).write();
    if (mufftDestroy(plan) != MUFFT_INVALID_PLAN) return 4;
    return execute(plan, type, in, out, direction) == MUFFT_INVALID_PLAN ? 0 : 5;
}
