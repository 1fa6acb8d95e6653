// Prints the capabilities and the configuration of muBLASLt's algorithm, and what products say of them.
#include <cstring>

#include "mublasLt_descriptions.h"

namespace {

template <class T>
void show(const mublasLtMatmulAlgo_t& algo, const char* name, mublasLtMatmulAlgoCapAttributes_t attribute) {
    std::size_t needed = 0, written = 0;
    check(mublasLtMatmulAlgoCapGetAttribute(&algo, attribute, nullptr, 0, &needed), "size");
    T value{};
    check(mublasLtMatmulAlgoCapGetAttribute(&algo, attribute, &value, sizeof value, &written), name);
    std::printf("%s=%llu in %zu, %zu\n", name, static_cast<unsigned long long>(value), needed, written);
}

void tell(const char* what, mublasStatus_t status) { std::printf("%s=%s\n", what, mublasLtGetStatusName(status)); }

std::int32_t parts_of(const mublasLtMatmulAlgo_t& algo) {
    std::int32_t parts = -1;
    check(mublasLtMatmulAlgoConfigGetAttribute(&algo, MUBLASLT_ALGO_CONFIG_SPLITK_NUM, &parts, sizeof parts, nullptr), "parts");
    return parts;
}

}  // namespace

int main() {
    CHECK(musaStreamCreate(&stream));
    check(mublasLtCreate(&handle), "create");
    mublasLtMatmulAlgo_t algo;
    check(mublasLtMatmulAlgoInit(handle, MUBLAS_COMPUTE_32F, MUSA_R_32F, MUSA_R_32F, MUSA_R_32F, MUSA_R_32F, MUSA_R_32F, 0, &algo), "init");
    show<std::int32_t>(algo, "splits", MUBLASLT_ALGO_CAP_SPLITK_SUPPORT);
    show<std::uint32_t>(algo, "reductions", MUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK);
    show<std::int32_t>(algo, "batches", MUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT);
    show<std::uint32_t>(algo, "tiles", MUBLASLT_ALGO_CAP_TILE_IDS);
    show<std::uint32_t>(algo, "stages", MUBLASLT_ALGO_CAP_STAGES_IDS);
    show<std::int32_t>(algo, "orders", MUBLASLT_ALGO_CAP_CUSTOM_MEMORY_ORDER);
    show<std::uint32_t>(algo, "modes", MUBLASLT_ALGO_CAP_POINTER_MODE_MASK);
    show<std::uint64_t>(algo, "numbers", MUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS);
    std::uint32_t epilogues = 0;
    check(mublasLtMatmulAlgoCapGetAttribute(&algo, MUBLASLT_ALGO_CAP_EPILOGUE_MASK, &epilogues, sizeof epilogues, nullptr), "epilogues");
    std::printf("epilogues=%d\n", (epilogues & MUBLASLT_EPILOGUE_DGELU_BGRAD) == MUBLASLT_EPILOGUE_DGELU_BGRAD);

    const mublasLtMatrixLayout_t square = layout_of(MUSA_R_32F, 2, 2, MUBLASLT_ORDER_COL, 1);
    mublasLtMatmulDesc_t desc;
    check(mublasLtMatmulDescCreate(&desc, MUBLAS_COMPUTE_32F, MUSA_R_32F), "desc");
    mublasLtMatmulHeuristicResult_t found;
    std::printf("parts=%d\n", parts_of(algo));
    std::uint32_t tile = 7;
    check(mublasLtMatmulAlgoConfigSetAttribute(&algo, MUBLASLT_ALGO_CONFIG_TILE_ID, &tile, sizeof tile), "tile");
    tell("checked", mublasLtMatmulAlgoCheck(handle, desc, square, square, square, square, &algo, &found));
    std::printf("same=%d\n", std::memcmp(&found.algo, &algo, sizeof algo) == 0);
    std::int32_t parts = 3;
    check(mublasLtMatmulAlgoConfigSetAttribute(&algo, MUBLASLT_ALGO_CONFIG_SPLITK_NUM, &parts, sizeof parts), "parts");
    std::printf("parts then=%d\n", parts_of(algo));
    tell("in parts", mublasLtMatmulAlgoCheck(handle, desc, square, square, square, square, &algo, &found));
    DeviceArray<float> memory(4);
    const float one = 1;
    tell("product in parts", mublasLtMatmul(handle, desc, &one, memory, square, memory, square, &one, memory, square, memory, square, &algo, nullptr, 0, stream));
    tell("id", mublasLtMatmulAlgoConfigSetAttribute(&algo, MUBLASLT_ALGO_CONFIG_ID, &parts, sizeof parts));
    tell("short", mublasLtMatmulAlgoConfigSetAttribute(&algo, MUBLASLT_ALGO_CONFIG_TILE_ID, &tile, 2));
    tell("none", mublasLtMatmulAlgoCapGetAttribute(&algo, static_cast<mublasLtMatmulAlgoCapAttributes_t>(99), &tile, 4, nullptr));
    int major = -1, minor = -1;
    check(mublasLtGetProperty(MAJOR_VERSION, &major), "major"), check(mublasLtGetProperty(MINOR_VERSION, &minor), "minor");
    std::printf("version=%d\n", mublasLtGetVersion() == static_cast<std::size_t>(major * 10000 + minor * 100));
    check(mublasLtLoggerSetLevel(5), "log"), check(mublasLtLoggerForceDisable(), "log");
    check(mublasLtMatrixLayoutDestroy(square), "layout"), check(mublasLtMatmulDescDestroy(desc), "desc");
    check(mublasLtDestroy(handle), "destroy");
}
