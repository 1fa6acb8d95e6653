// mipmaps CASE: reads mipmapped arrays at the coordinates, levels and steps on stdin; writes the texels.
#include <musa.h>

#include "program.h"

namespace {

struct Points {
    const float *at, *levels, *steps;
    int count, layers;
};

__global__ void read_1d(musaTextureObject_t texture, Points p, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    const float x = p.at[3 * i], *step = p.steps + 6 * i;
    if (p.layers) {
        out[i] = tex1DLayeredLod<float>(texture, x, i % p.layers, p.levels[i]);
        out[p.count + i] = tex1DLayeredGrad<float>(texture, x, i % p.layers, step[0], step[3]);
        return;
    }
    out[i] = tex1DLod<float>(texture, x, p.levels[i]);
    tex1DGrad(&out[p.count + i], texture, x, step[0], step[3]);
    out[2 * p.count + i] = tex1D<float>(texture, x);
}

__global__ void read_2d(musaTextureObject_t texture, Points p, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    const float x = p.at[3 * i], y = p.at[3 * i + 1], *step = p.steps + 6 * i;
    const float2 dx = make_float2(step[0], step[1]), dy = make_float2(step[3], step[4]);
    if (p.layers) {
        out[i] = tex2DLayeredLod<float>(texture, x, y, i % p.layers, p.levels[i]);
        out[p.count + i] = tex2DLayeredGrad<float>(texture, x, y, i % p.layers, dx, dy);
        return;
    }
    tex2DLod(&out[i], texture, x, y, p.levels[i]);
    out[p.count + i] = tex2DGrad<float>(texture, x, y, dx, dy);
    out[2 * p.count + i] = tex2D<float>(texture, x, y);
}

__global__ void read_3d(musaTextureObject_t texture, Points p, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    const float *at = p.at + 3 * i, *step = p.steps + 6 * i;
    out[i] = tex3DLod<float>(texture, at[0], at[1], at[2], p.levels[i]);
    out[p.count + i] = tex3DGrad<float>(texture, at[0], at[1], at[2], make_float4(step[0], step[1], step[2], 0),
                                        make_float4(step[3], step[4], step[5], 0));
    out[2 * p.count + i] = tex3D<float>(texture, at[0], at[1], at[2]);
}

__global__ void read_cube(musaTextureObject_t texture, Points p, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    const float* at = p.at + 3 * i;
    out[i] = p.layers > 1 ? texCubemapLayeredLod<float>(texture, at[0], at[1], at[2], i % p.layers, p.levels[i])
                          : texCubemapLod<float>(texture, at[0], at[1], at[2], p.levels[i]);
}

// Each element is the mean of four of the level above, through a surface.
__global__ void halve(musaTextureObject_t level_above, musaSurfaceObject_t level, int side) {
    const int x = threadIdx.x, y = threadIdx.y;
    if (x >= side || y >= side) return;
    float sum = 0;
    for (int i = 0; i < 4; ++i) sum += tex2D<float>(level_above, 2 * x + i % 2 + 0.5f, 2 * y + i / 2 + 0.5f);
    surf2Dwrite(sum / 4, level, 4 * x, y);
}

__global__ void read_words(musaTextureObject_t texture, float level, uchar4* out) {
    *out = tex2DLod<uchar4>(texture, 0.5f, 0.5f, level);
}

__global__ void read_layer(musaTextureObject_t texture, float level, int layer, float* out) {
    *out = tex2DLayeredLod<float>(texture, 0.5f, 0.5f, layer, level);
}

__global__ void read_at(musaTextureObject_t texture, float level, float* out) {
    *out = tex2DLod<float>(texture, 0.5f, 0.5f, level);
}

void tell(const char* question, musaError_t answer) { std::printf("%s=%s\n", question, musaGetErrorName(answer)); }
void tell(const char* question, MUresult answer) { std::printf("%s=%d\n", question, int(answer)); }

template <class T>
std::vector<T> from_stdin(std::size_t size) {
    std::vector<T> values(size);
    if (std::fread(values.data(), sizeof(T), size, stdin) != size) std::exit(2);
    return values;
}

musaTextureDesc reading(musaTextureFilterMode between_levels, float last_level = 99) {
    musaTextureDesc how{};
    how.normalizedCoords = 1;
    how.mipmapFilterMode = between_levels;
    how.maxMipmapLevelClamp = last_level;
    return how;
}

musaResourceDesc resource_of(musaMipmappedArray_t mipmapped) {
    musaResourceDesc resource{};
    resource.resType = musaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmapped;
    return resource;
}

musaTextureObject_t texture_of(musaMipmappedArray_t mipmapped, const musaTextureDesc& how) {
    const musaResourceDesc resource = resource_of(mipmapped);
    musaTextureObject_t texture = 0;
    CHECK(musaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

void fill_from_stdin(musaArray_t level) {
    musaExtent size{};
    CHECK(musaArrayGetInfo(nullptr, &size, nullptr, level));
    const std::size_t rows = size.height ? size.height : 1, slices = size.depth ? size.depth : 1;
    std::vector<float> elements = from_stdin<float>(size.width * rows * slices);
    musaMemcpy3DParms copy{};
    copy.srcPtr = make_musaPitchedPtr(elements.data(), size.width * sizeof(float), size.width, rows);
    copy.dstArray = level;
    copy.extent = make_musaExtent(size.width, rows, slices);
    copy.kind = musaMemcpyHostToDevice;
    CHECK(musaMemcpy3D(&copy));
}

// Dimensions, flags, width, height, depth, levels, points, address mode, filter, filter between levels. On stdin the bias, the
// smallest and the largest level, then the elements of all levels, and the points.
void read(const std::vector<int>& numbers) {
    const int dimensions = numbers[0], levels = numbers[5], points = numbers[6];
    const unsigned flags = numbers[1];
    const musaExtent size = make_musaExtent(numbers[2], numbers[3], numbers[4]);
    const std::vector<float> clamps = from_stdin<float>(3);
    const musaChannelFormatDesc desc = musaCreateChannelDesc<float>();
    musaMipmappedArray_t mipmapped;
    CHECK(musaMallocMipmappedArray(&mipmapped, &desc, size, levels, flags));
    for (int i = 0; i < levels; ++i) {
        musaArray_t level;
        CHECK(musaGetMipmappedArrayLevel(&level, mipmapped, i));
        fill_from_stdin(level);
    }
    musaTextureDesc how = reading(static_cast<musaTextureFilterMode>(numbers[9]), clamps[2]);
    for (auto& mode : how.addressMode) mode = static_cast<musaTextureAddressMode>(numbers[7]);
    how.filterMode = static_cast<musaTextureFilterMode>(numbers[8]);
    how.mipmapLevelBias = clamps[0];
    how.minMipmapLevelClamp = clamps[1];
    const musaTextureObject_t texture = texture_of(mipmapped, how);
    DeviceArray<float>&at = input<float>(3 * points), &level = input<float>(points), &steps = input<float>(6 * points);
    DeviceArray<float> out(3 * points);
    float* to = out;
    CHECK(musaMemset(to, 0, 3 * points * sizeof(float)));
    const bool is_cube = flags & musaArrayCubemap;
    const int layers = is_cube ? int(size.depth) / 6 : flags & musaArrayLayered ? int(size.depth) : 0;
    const Points p{at, level, steps, points, layers};
    const int blocks = blocks_for(points, 64);
    if (is_cube) read_cube<<<blocks, 64>>>(texture, p, to);
    else if (dimensions == 1) read_1d<<<blocks, 64>>>(texture, p, to);
    else if (dimensions == 2) read_2d<<<blocks, 64>>>(texture, p, to);
    else read_3d<<<blocks, 64>>>(texture, p, to);
    check_kernel();
    out.write();
    CHECK(musaDestroyTextureObject(texture));
    CHECK(musaFreeMipmappedArray(mipmapped));
}

// Levels that a program makes itself, each from the one above.
void chain() {
    constexpr int side = 16;
    const musaChannelFormatDesc desc = musaCreateChannelDesc<float>();
    musaMipmappedArray_t mipmapped;
    CHECK(musaMallocMipmappedArray(&mipmapped, &desc, make_musaExtent(side, side, 0), 5, musaArraySurfaceLoadStore));
    musaArray_t above, level;
    CHECK(musaGetMipmappedArrayLevel(&above, mipmapped, 0));
    fill_from_stdin(above);
    for (int i = 1; i < 5; ++i, above = level) {
        CHECK(musaGetMipmappedArrayLevel(&level, mipmapped, i));
        musaResourceDesc from{}, to{};
        from.resType = to.resType = musaResourceTypeArray;
        from.res.array.array = above;
        to.res.array.array = level;
        musaTextureObject_t texture = 0;
        musaSurfaceObject_t surface = 0;
        const musaTextureDesc how{};
        CHECK(musaCreateTextureObject(&texture, &from, &how, nullptr));
        CHECK(musaCreateSurfaceObject(&surface, &to));
        halve<<<1, dim3(side, side)>>>(texture, surface, side >> i);
        check_kernel();
    }
    DeviceArray<float> out(1);
    read_at<<<1, 1>>>(texture_of(mipmapped, reading(musaFilterModePoint)), 4, static_cast<float*>(out));
    check_kernel();
    out.write();
}

void errors() {
    const musaChannelFormatDesc floats = musaCreateChannelDesc<float>(), integers = musaCreateChannelDesc<int>();
    musaMipmappedArray_t mipmapped, whole;
    musaArray_t level;
    tell("more levels than there are", musaMallocMipmappedArray(&mipmapped, &floats, make_musaExtent(9, 4, 0), 99));
    for (unsigned i = 0; musaGetMipmappedArrayLevel(&level, mipmapped, i) == musaSuccess; ++i) {
        musaExtent size{};
        CHECK(musaArrayGetInfo(nullptr, &size, nullptr, level));
        std::printf("level %u=%zu %zu %zu\n", i, size.width, size.height, size.depth);
    }
    tell("no such level", musaGetMipmappedArrayLevel(&level, mipmapped, 4));
    CHECK(musaGetMipmappedArrayLevel(&level, mipmapped, 1));
    tell("free a level", musaFreeArray(level));
    tell("sparse", musaMallocMipmappedArray(&whole, &floats, make_musaExtent(4, 4, 0), 1, musaArraySparse));
    int side = 0;
    CHECK(musaDeviceGetAttribute(&side, musaDevAttrMaxTexture2DMipmappedWidth, 0));
    const std::size_t most = side;
    tell("widest", musaMallocMipmappedArray(&whole, &floats, make_musaExtent(most, 1, 0), 2));
    CHECK(musaFreeMipmappedArray(whole));
    tell("too wide", musaMallocMipmappedArray(&whole, &floats, make_musaExtent(most + 1, 1, 0), 2));
    CHECK(musaDeviceGetAttribute(&side, musaDevAttrMaxTexture1DMipmappedWidth, 0));
    tell("too long", musaMallocMipmappedArray(&whole, &floats, make_musaExtent(side + 1, 0, 0), 2));
    tell("nothing", musaMallocMipmappedArray(&whole, &floats, make_musaExtent(0, 4, 0), 1));
    CHECK(musaMallocMipmappedArray(&whole, &integers, make_musaExtent(4, 4, 0), 2));
    musaTextureObject_t texture = 0;
    musaTextureDesc how = reading(musaFilterModeLinear);
    musaResourceDesc resource = resource_of(whole);
    tell("integers between levels", musaCreateTextureObject(&texture, &resource, &how, nullptr));
    resource = resource_of(mipmapped);
    how.normalizedCoords = 0;
    tell("coordinates of elements", musaCreateTextureObject(&texture, &resource, &how, nullptr));
    how.normalizedCoords = 1;
    tell("good", musaCreateTextureObject(&texture, &resource, &how, nullptr));
    tell("free", musaFreeMipmappedArray(mipmapped));
    tell("free again", musaFreeMipmappedArray(mipmapped));
    tell("freed", musaGetMipmappedArrayLevel(&level, mipmapped, 0));
    tell("texture of it", musaCreateTextureObject(&texture, &resource, &how, nullptr));
}

musaResourceViewDesc view_of(std::size_t width, std::size_t height, unsigned first_level, unsigned last_level) {
    musaResourceViewDesc view{};
    view.width = width;
    view.height = height;
    view.firstMipmapLevel = first_level;
    view.lastMipmapLevel = last_level;
    return view;
}

// Levels, layers and other element types that a view chooses. On stdin three levels of three layers.
void views() {
    const musaChannelFormatDesc floats = musaCreateChannelDesc<float>();
    musaMipmappedArray_t mipmapped;
    CHECK(musaMallocMipmappedArray(&mipmapped, &floats, make_musaExtent(4, 4, 3), 3, musaArrayLayered));
    for (int i = 0; i < 3; ++i) {
        musaArray_t level;
        CHECK(musaGetMipmappedArrayLevel(&level, mipmapped, i));
        fill_from_stdin(level);
    }
    const musaResourceDesc resource = resource_of(mipmapped);
    const musaTextureDesc how = reading(musaFilterModePoint);
    musaTextureObject_t texture = 0;
    musaResourceViewDesc view = view_of(4, 4, 1, 2), found{};
    view.depth = 3;
    view.firstLayer = 1;
    view.lastLayer = 2;
    tell("view", musaCreateTextureObject(&texture, &resource, &how, &view));
    tell("what it is", musaGetTextureObjectResourceViewDesc(&found, texture));
    std::printf("levels=%u to %u\n", found.firstMipmapLevel, found.lastMipmapLevel);
    DeviceArray<float> out(1);
    float value = 0;
    for (int level = 0; level < 3; ++level) {
        for (int layer = 0; layer < 3; ++layer) {
            read_layer<<<1, 1>>>(texture, float(level), layer, static_cast<float*>(out));
            CHECK(musaMemcpy(&value, static_cast<float*>(out), sizeof value, musaMemcpyDeviceToHost));
            std::printf("level %d of layer %d=%.9g\n", level, layer, value);
        }
    }
    tell("without a view", musaCreateTextureObject(&texture, &resource, &how, nullptr));
    tell("what it is not", musaGetTextureObjectResourceViewDesc(&found, texture));
    const auto attempt = [&](const char* question, auto change) {
        musaResourceViewDesc wrong = view;
        change(wrong);
        tell(question, musaCreateTextureObject(&texture, &resource, &how, &wrong));
    };
    attempt("no such level", [](auto& wrong) { wrong.lastMipmapLevel = 3; });
    attempt("levels in reverse", [](auto& wrong) { wrong.firstMipmapLevel = 2, wrong.lastMipmapLevel = 1; });
    attempt("no such layer", [](auto& wrong) { wrong.lastLayer = 3; });
    attempt("half the width", [](auto& wrong) { wrong.width = 2; });
    attempt("elements of 8 bytes", [](auto& wrong) { wrong.format = musaResViewFormatFloat2; });
    attempt("compressed", [](auto& wrong) { wrong.format = musaResViewFormatUnsignedBlockCompressed1; });
    attempt("bytes", [](auto& wrong) { wrong.format = musaResViewFormatUnsignedChar4; });
    musaMipmappedArray_t plain;
    CHECK(musaMallocMipmappedArray(&plain, &floats, make_musaExtent(1, 1, 0), 1));
    musaArray_t level;
    CHECK(musaGetMipmappedArrayLevel(&level, plain, 0));
    fill_from_stdin(level);
    const musaResourceDesc of_plain = resource_of(plain);
    view = view_of(1, 1, 0, 0);
    view.format = musaResViewFormatUnsignedChar4;
    CHECK(musaCreateTextureObject(&texture, &of_plain, &how, &view));
    DeviceArray<uchar4> bytes(1);
    read_words<<<1, 1>>>(texture, 0, static_cast<uchar4*>(bytes));
    uchar4 word;
    CHECK(musaMemcpy(&word, static_cast<uchar4*>(bytes), sizeof word, musaMemcpyDeviceToHost));
    std::printf("bytes of a float=%d %d %d %d\n", word.x, word.y, word.z, word.w);
}

void driver() {
    CHECK(musaFree(nullptr));
    const MUSA_ARRAY3D_DESCRIPTOR box{4, 4, 0, MU_AD_FORMAT_FLOAT, 1, 0};
    MUmipmappedArray mipmapped;
    MUarray level;
    tell("create", muMipmappedArrayCreate(&mipmapped, &box, 3));
    for (unsigned i = 0; i < 3; ++i) {
        CHECK(static_cast<musaError_t>(muMipmappedArrayGetLevel(&level, mipmapped, i)));
        fill_from_stdin(reinterpret_cast<musaArray_t>(level));
    }
    tell("no such level", muMipmappedArrayGetLevel(&level, mipmapped, 3));
    MUSA_RESOURCE_DESC resource{};
    resource.resType = MU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = mipmapped;
    MUSA_TEXTURE_DESC how{};
    how.flags = MU_TRSF_NORMALIZED_COORDINATES;
    how.maxMipmapLevelClamp = 9;
    MUtexObject texture = 0;
    tell("texture", muTexObjectCreate(&texture, &resource, &how, nullptr));
    DeviceArray<float> out(1);
    float found = 0;
    MUSA_RESOURCE_VIEW_DESC view{}, same{};
    view.width = view.height = 4;
    view.firstMipmapLevel = view.lastMipmapLevel = 1;
    MUtexObject viewed = 0;
    tell("view", muTexObjectCreate(&viewed, &resource, &how, &view));
    tell("what it is", muTexObjectGetResourceViewDesc(&same, viewed));
    std::printf("level of the view=%u\n", same.firstMipmapLevel);
    tell("what it is not", muTexObjectGetResourceViewDesc(&same, texture));
    read_at<<<1, 1>>>(viewed, 0, static_cast<float*>(out));
    CHECK(musaMemcpy(&found, static_cast<float*>(out), sizeof found, musaMemcpyDeviceToHost));
    std::printf("element of the view=%.9g\n", found);
    for (int i = 0; i < 3; ++i) {
        read_at<<<1, 1>>>(texture, float(i), static_cast<float*>(out));
        CHECK(musaMemcpy(&found, static_cast<float*>(out), sizeof found, musaMemcpyDeviceToHost));
        std::printf("element of level %d=%.9g\n", i, found);
    }
    tell("destroy", muMipmappedArrayDestroy(mipmapped));
    tell("texture of nothing", muTexObjectCreate(&texture, &resource, &how, nullptr));
}

}  // namespace

int main(int, char** argv) {
    const std::string name = argv[1];
    std::vector<int> numbers;
    for (char** word = argv + 2; *word; ++word) numbers.push_back(std::atoi(*word));
    if (name == "read") read(numbers);
    if (name == "chain") chain();
    if (name == "errors") errors();
    if (name == "views") views();
    if (name == "driver") driver();
}
