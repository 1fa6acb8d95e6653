// The one algorithm: what it can do, its configuration, and where it is suggested.
#include "product.h"

#include <cstring>

#include "../exported.h"
#include "descriptions.h"

namespace mublas_lt {
namespace {

// The content of mublasLtMatmulAlgo_t; zeros are the default.
struct Algorithm {
    std::int32_t id = 0;
    std::uint32_t tile = MUBLASLT_MATMUL_TILE_UNDEFINED;
    std::int32_t parts_less_one = 0;
    std::uint32_t reduction_scheme = MUBLASLT_REDUCTION_SCHEME_NONE;
    std::uint32_t swizzling = 0;
    std::uint32_t custom_option = 0;
    std::uint32_t stages = MUBLASLT_MATMUL_STAGES_UNDEFINED;
    std::uint16_t inner_shape = 0;
    std::uint16_t cluster_shape = 0;
};

Algorithm read(const mublasLtMatmulAlgo_t& algo) {
    static_assert(sizeof(Algorithm) <= sizeof algo.data && std::is_trivially_copyable<Algorithm>::value);
    Algorithm algorithm;
    std::memcpy(&algorithm, algo.data, sizeof algorithm);
    return algorithm;
}

// An algorithm with the number of parts as programs know it.
struct Configuration : Algorithm {
    explicit Configuration(const mublasLtMatmulAlgo_t& algo) : Algorithm(read(algo)), parts(parts_less_one + 1) {}
    void write(mublasLtMatmulAlgo_t* algo) {
        parts_less_one = parts - 1;
        const Algorithm& stored = *this;
        std::memcpy(algo->data, &stored, sizeof stored);
    }
    std::int32_t parts;
};

Attribute find(Configuration& of, mublasLtMatmulAlgoConfigAttributes_t number) {
    switch (number) {
        case MUBLASLT_ALGO_CONFIG_ID: return attribute(of.id);
        case MUBLASLT_ALGO_CONFIG_TILE_ID: return attribute(of.tile);
        case MUBLASLT_ALGO_CONFIG_SPLITK_NUM: return attribute(of.parts);
        case MUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME: return attribute(of.reduction_scheme);
        case MUBLASLT_ALGO_CONFIG_CTA_SWIZZLING: return attribute(of.swizzling);
        case MUBLASLT_ALGO_CONFIG_CUSTOM_OPTION: return attribute(of.custom_option);
        case MUBLASLT_ALGO_CONFIG_STAGES_ID: return attribute(of.stages);
        case MUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID: return attribute(of.inner_shape);
        case MUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID: return attribute(of.cluster_shape);
    }
    return {};
}

struct Capabilities {
    std::int32_t none = 0, yes = 1;
    std::uint32_t no_bits = 0, undefined = 0, one_byte = 1, all_modes = 31, all_epilogues = 1023;
    std::uint64_t numbers = MUBLASLT_NUMERICAL_IMPL_FLAGS_FMA | MUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F |
                            MUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_64F | MUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32I;
};

Attribute find(Capabilities& of, mublasLtMatmulAlgoCapAttributes_t number) {
    switch (number) {
        case MUBLASLT_ALGO_CAP_SPLITK_SUPPORT:
        case MUBLASLT_ALGO_CAP_UPLO_SUPPORT:
        case MUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX:
        case MUBLASLT_ALGO_CAP_LD_NEGATIVE: return attribute(of.none);
        case MUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT:
        case MUBLASLT_ALGO_CAP_CUSTOM_MEMORY_ORDER: return attribute(of.yes);
        case MUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK:
        case MUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT: return attribute(of.no_bits);
        case MUBLASLT_ALGO_CAP_TILE_IDS:
        case MUBLASLT_ALGO_CAP_STAGES_IDS: return attribute(of.undefined);
        case MUBLASLT_ALGO_CAP_POINTER_MODE_MASK: return attribute(of.all_modes);
        case MUBLASLT_ALGO_CAP_EPILOGUE_MASK: return attribute(of.all_epilogues);
        case MUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS: return attribute(of.numbers);
        case MUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES:
        case MUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES:
        case MUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES:
        case MUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES: return attribute(of.one_byte);
    }
    return {};
}

// The only algorithm, and how it would run the product.
mublasStatus judge(const Product& product, const mublasLtMatmulAlgo_t& algo, mublasLtMatmulHeuristicResult_t* result) {
    mublasStatus status = check(product);
    if (status == MUBLAS_STATUS_SUCCESS && !is_computed(algo)) status = MUBLAS_STATUS_NOT_IMPLEMENTED;
    *result = {};
    result->algo = algo;
    result->workspaceSize = 0;
    result->state = status;
    result->wavesCount = 1.0f;
    return status;
}

// Return the one id if it computes these types.
mublasStatus only_id(mublasComputeType_t compute, musaDataType_t scale, musaDataType_t a, musaDataType_t b, musaDataType_t c,
                     musaDataType_t d) {
    Product product{};
    product.desc.compute = compute;
    product.desc.scale = scale;
    product.a.type = a;
    product.b.type = b;
    product.c.type = c;
    product.d.type = d;
    return find_run(product) ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_NOT_IMPLEMENTED;
}

}  // namespace

bool is_computed(const mublasLtMatmulAlgo_t& algo) {
    const Algorithm algorithm = read(algo);
    return algorithm.id == 0 && algorithm.parts_less_one == 0;
}

}  // namespace mublas_lt

using namespace mublas_lt;

MUSA_EXPORT mublasStatus_t mublasLtMatmulAlgoGetHeuristic(
    mublasLtHandle_t handle, mublasLtMatmulDesc_t desc, mublasLtMatrixLayout_t Adesc, mublasLtMatrixLayout_t Bdesc,
    mublasLtMatrixLayout_t Cdesc, mublasLtMatrixLayout_t Ddesc, mublasLtMatmulPreference_t preference,
    int requestedAlgoCount, mublasLtMatmulHeuristicResult_t heuristicResultsArray[], int* returnAlgoCount) {
    if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;
    if (!desc || !Adesc || !Bdesc || !Cdesc || !Ddesc || !preference || requestedAlgoCount < 1 ||
        !heuristicResultsArray || !returnAlgoCount)
        return MUBLAS_STATUS_INVALID_VALUE;
    const Product product{*inside(desc), *inside(Adesc), *inside(Bdesc), *inside(Cdesc), *inside(Ddesc)};
    const mublasStatus status = judge(product, {}, heuristicResultsArray);
    *returnAlgoCount = status == MUBLAS_STATUS_SUCCESS ? 1 : 0;
    return status;
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulAlgoCheck(mublasLtHandle_t handle, mublasLtMatmulDesc_t desc,
                                                   mublasLtMatrixLayout_t Adesc, mublasLtMatrixLayout_t Bdesc,
                                                   mublasLtMatrixLayout_t Cdesc, mublasLtMatrixLayout_t Ddesc,
                                                   const mublasLtMatmulAlgo_t* algo,
                                                   mublasLtMatmulHeuristicResult_t* result) {
    if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;
    if (!desc || !Adesc || !Bdesc || !Cdesc || !Ddesc || !algo || !result) return MUBLAS_STATUS_INVALID_VALUE;
    return judge({*inside(desc), *inside(Adesc), *inside(Bdesc), *inside(Cdesc), *inside(Ddesc)}, *algo, result);
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulAlgoGetIds(mublasLtHandle_t handle, mublasComputeType_t computeType,
                                                    musaDataType_t scaleType, musaDataType_t Atype,
                                                    musaDataType_t Btype, musaDataType_t Ctype, musaDataType_t Dtype,
                                                    int requestedAlgoCount, int algoIdsArray[],
                                                    int* returnAlgoCount) {
    if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;
    if (requestedAlgoCount < 1 || !algoIdsArray || !returnAlgoCount) return MUBLAS_STATUS_INVALID_VALUE;
    const mublasStatus status = only_id(computeType, scaleType, Atype, Btype, Ctype, Dtype);
    *returnAlgoCount = status == MUBLAS_STATUS_SUCCESS ? 1 : 0;
    if (status == MUBLAS_STATUS_SUCCESS) algoIdsArray[0] = 0;
    return status;
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulAlgoInit(mublasLtHandle_t handle, mublasComputeType_t computeType,
                                                  musaDataType_t scaleType, musaDataType_t Atype,
                                                  musaDataType_t Btype, musaDataType_t Ctype, musaDataType_t Dtype,
                                                  int algoId, mublasLtMatmulAlgo_t* algo) {
    if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;
    if (algoId != 0 || !algo) return MUBLAS_STATUS_INVALID_VALUE;
    *algo = {};
    return only_id(computeType, scaleType, Atype, Btype, Ctype, Dtype);
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulAlgoCapGetAttribute(const mublasLtMatmulAlgo_t* algo,
                                                             mublasLtMatmulAlgoCapAttributes_t attr, void* buf,
                                                             size_t sizeInBytes, size_t* sizeWritten) {
    Capabilities all;
    return algo ? get(&all, attr, buf, sizeInBytes, sizeWritten) : MUBLAS_STATUS_INVALID_VALUE;
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulAlgoConfigSetAttribute(mublasLtMatmulAlgo_t* algo,
                                                                mublasLtMatmulAlgoConfigAttributes_t attr, const void* buf,
                                                                size_t sizeInBytes) {
    if (!algo || attr == MUBLASLT_ALGO_CONFIG_ID) return MUBLAS_STATUS_INVALID_VALUE;  // the id can be read only
    Configuration configuration(*algo);
    const mublasStatus status = set(&configuration, attr, buf, sizeInBytes);
    if (status == MUBLAS_STATUS_SUCCESS) configuration.write(algo);
    return status;
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulAlgoConfigGetAttribute(const mublasLtMatmulAlgo_t* algo,
                                                                mublasLtMatmulAlgoConfigAttributes_t attr, void* buf,
                                                                size_t sizeInBytes, size_t* sizeWritten) {
    if (!algo) return MUBLAS_STATUS_INVALID_VALUE;
    Configuration configuration(*algo);
    return get(&configuration, attr, buf, sizeInBytes, sizeWritten);
}
