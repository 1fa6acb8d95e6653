// textures CASE: reads textures at the coordinates on stdin; writes the texels.
#include <atomic>
#include <thread>

#include "program.h"

namespace {

template <class T>
__global__ void fetch_1d(musaTextureObject_t texture, const float* at, T* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<T>(texture, at[i]);
}
template <class T>
__global__ void fetch_2d(musaTextureObject_t texture, const float* at, T* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<T>(texture, at[2 * i], at[2 * i + 1]);
}
template <class T>
__global__ void fetch_3d(musaTextureObject_t texture, const float* at, T* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tex3D(&out[i], texture, at[3 * i], at[3 * i + 1], at[3 * i + 2]);
}
template <class T>
__global__ void fetch_element(musaTextureObject_t texture, T* out, int first, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<T>(texture, first + i);
}

__global__ void read_both(musaTextureObject_t texture, musaSurfaceObject_t surface, int* out) {
    const int i = threadIdx.x;
    out[i] = tex1D<int>(texture, float(i));
    out[4 + i] = surf1Dread<int>(surface, 4 * i);
}

// Layers are from -1 to one too many.
__global__ void fetch_layers(musaTextureObject_t texture, const float* at, float* out, int n, int dimensions, int layers) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int layer = i % (layers + 2) - 1;
    out[i] = dimensions == 1 ? tex1DLayered<float>(texture, at[i], layer)
                             : tex2DLayered<float>(texture, at[2 * i], at[2 * i + 1], layer);
}
__global__ void fetch_directions(musaTextureObject_t texture, const float* at, float* out, int n, int layers) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2];
    out[i] = layers == 0 ? texCubemap<float>(texture, x, y, z) : texCubemapLayered<float>(texture, x, y, z, i % layers);
}
__global__ void gather(musaTextureObject_t texture, const float* at, float4* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2Dgather<float4>(texture, at[2 * i], at[2 * i + 1], i % 2);
}
__global__ void write_layers(musaSurfaceObject_t lines, musaSurfaceObject_t planes, musaSurfaceObject_t cube) {
    const int x = threadIdx.x, y = threadIdx.y, layer = threadIdx.z;
    if (y == 0) surf1DLayeredwrite(surf1DLayeredread<int>(lines, 4 * x, layer) + 10 * x + layer, lines, 4 * x, layer);
    surf2DLayeredwrite(surf2DLayeredread<int>(planes, 4 * x, y, layer) + 100 * x + 10 * y + layer, planes, 4 * x, y, layer);
    surfCubemapwrite(surfCubemapread<int>(cube, 4 * x, y, layer) + 100 * x + 10 * y + layer, cube, 4 * x, y, layer);
}

// Each element is moved one to the right and down, and doubled; what comes from outside is zero.
__global__ void shift(musaSurfaceObject_t from, musaSurfaceObject_t to) {
    const int x = threadIdx.x, y = threadIdx.y;
    float2 value = surf2Dread<float2>(from, (x - 1) * int(sizeof(float2)), y - 1, musaBoundaryModeZero);
    value.x *= 2;
    value.y += 1;
    surf2Dwrite(value, to, x * int(sizeof(float2)), y);
    if (x == 0 && y == 0) surf2Dwrite(make_float2(-7, -8), to, 1000, 1000, musaBoundaryModeClamp);
    if (x == 0 && y == 0) surf2Dwrite(make_float2(-7, -8), to, 1000, 1000, musaBoundaryModeZero);
}
__global__ void outside(musaSurfaceObject_t to) { surf1Dwrite(1, to, 400); }
__global__ void askew(musaSurfaceObject_t to) { surf1Dwrite(1, to, 2); }
__global__ void cube(musaSurfaceObject_t box) {
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    surf3Dwrite(surf3Dread<int>(box, 4 * x, y, z) + 100 * x + 10 * y + z, box, 4 * x, y, z);
}

void tell(const char* question, musaError_t answer) { std::printf("%s=%s\n", question, musaGetErrorName(answer)); }

musaTextureDesc reading(const int* numbers) {
    musaTextureDesc desc{};
    for (int i = 0; i < 3; ++i) desc.addressMode[i] = static_cast<musaTextureAddressMode>(numbers[0]);
    desc.filterMode = static_cast<musaTextureFilterMode>(numbers[1]);
    desc.readMode = static_cast<musaTextureReadMode>(numbers[2]);
    desc.normalizedCoords = numbers[3] & 1;
    desc.sRGB = numbers[3] >> 1;
    for (float& color : desc.borderColor) color = 0.5f;
    return desc;
}

template <class T>
std::vector<T> from_stdin(std::size_t size) {
    std::vector<T> values(size);
    if (std::fread(values.data(), sizeof(T), size, stdin) != size) std::exit(2);
    return values;
}

// Each set of settings with the same elements and coordinates.
template <class Element, class Texel>
void fetch_all(int dimensions, const std::vector<int>& numbers) {
    const std::size_t sizes[3] = {std::size_t(numbers[0]), std::size_t(numbers[1]), std::size_t(numbers[2])};
    const int points = numbers[3], sets = numbers[4];
    const std::size_t count = sizes[0] * (sizes[1] ? sizes[1] : 1) * (sizes[2] ? sizes[2] : 1);
    std::vector<Element> elements = from_stdin<Element>(count);
    DeviceArray<float>& at = input<float>(points * dimensions);
    const musaChannelFormatDesc desc = musaCreateChannelDesc<Element>();
    musaArray_t array;
    CHECK(musaMalloc3DArray(&array, &desc, make_musaExtent(sizes[0], sizes[1], sizes[2])));
    musaMemcpy3DParms copy{};
    copy.srcPtr = make_musaPitchedPtr(elements.data(), sizes[0] * sizeof(Element), sizes[0], sizes[1] ? sizes[1] : 1);
    copy.dstArray = array;
    copy.extent = make_musaExtent(sizes[0], sizes[1] ? sizes[1] : 1, sizes[2] ? sizes[2] : 1);
    copy.kind = musaMemcpyHostToDevice;
    CHECK(musaMemcpy3D(&copy));
    musaResourceDesc resource{};
    resource.resType = musaResourceTypeArray;
    resource.res.array.array = array;
    for (int set = 0; set < sets; ++set) {
        const musaTextureDesc how = reading(&numbers[5 + 4 * set]);
        musaTextureObject_t texture = 0;
        CHECK(musaCreateTextureObject(&texture, &resource, &how, nullptr));
        DeviceArray<Texel> out(points);
        Texel* to = out;
        if (dimensions == 1) fetch_1d<<<blocks_for(points, 64), 64>>>(texture, at, to, points);
        if (dimensions == 2) fetch_2d<<<blocks_for(points, 64), 64>>>(texture, at, to, points);
        if (dimensions == 3) fetch_3d<<<blocks_for(points, 64), 64>>>(texture, at, to, points);
        check_kernel();
        out.write();
        CHECK(musaDestroyTextureObject(texture));
    }
    CHECK(musaFreeArray(array));
}

musaArray_t array_with(const musaChannelFormatDesc& desc, musaExtent size, unsigned flags, void* elements,
                       std::size_t bytes) {
    musaArray_t array;
    CHECK(musaMalloc3DArray(&array, &desc, size, flags));
    musaMemcpy3DParms copy{};
    const std::size_t rows = size.height ? size.height : 1, slices = size.depth ? size.depth : 1;
    copy.srcPtr = make_musaPitchedPtr(elements, size.width * bytes, size.width, rows);
    copy.dstArray = array;
    copy.extent = make_musaExtent(size.width, rows, slices);
    copy.kind = musaMemcpyHostToDevice;
    CHECK(musaMemcpy3D(&copy));
    return array;
}

musaTextureObject_t texture_of(musaArray_t array, const musaTextureDesc& how) {
    musaResourceDesc resource{};
    resource.resType = musaResourceTypeArray;
    resource.res.array.array = array;
    musaTextureObject_t texture = 0;
    CHECK(musaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

// Width, height, depth, points, flags of the array, the settings
void fetch_from_layers(const std::vector<int>& numbers) {
    const std::size_t width = numbers[0], height = numbers[1], depth = numbers[2];
    const int points = numbers[3];
    const unsigned flags = numbers[4];
    std::vector<float> elements = from_stdin<float>(width * (height ? height : 1) * depth);
    const bool is_cube = flags & musaArrayCubemap;
    const int coordinates = is_cube ? 3 : height ? 2 : 1;
    DeviceArray<float>& at = input<float>(points * coordinates);
    musaArray_t array = array_with(musaCreateChannelDesc<float>(), make_musaExtent(width, height, depth), flags,
                                   elements.data(), sizeof(float));
    const musaTextureObject_t texture = texture_of(array, reading(&numbers[5]));
    DeviceArray<float> out(points);
    float* to = out;
    const int layers = is_cube ? (flags & musaArrayLayered ? int(depth) / 6 : 0) : int(depth);
    if (is_cube) fetch_directions<<<blocks_for(points, 64), 64>>>(texture, at, to, points, layers);
    else fetch_layers<<<blocks_for(points, 64), 64>>>(texture, at, to, points, coordinates, layers);
    check_kernel();
    out.write();
}

void gathering(const std::vector<int>& numbers) {
    const std::size_t width = numbers[0], height = numbers[1];
    const int points = numbers[2];
    std::vector<float2> elements = from_stdin<float2>(width * height);
    DeviceArray<float>& at = input<float>(points * 2);
    musaArray_t array = array_with(musaCreateChannelDesc<float2>(), make_musaExtent(width, height, 0),
                                   musaArrayTextureGather, elements.data(), sizeof(float2));
    DeviceArray<float4> out(points);
    float4* to = out;
    gather<<<blocks_for(points, 64), 64>>>(texture_of(array, reading(&numbers[3])), at, to, points);
    check_kernel();
    out.write();
}

void memory() {
    DeviceArray<short2>& line = input<short2>(8);
    musaResourceDesc resource{};
    resource.resType = musaResourceTypeLinear;
    resource.res.linear.devPtr = line;
    resource.res.linear.desc = musaCreateChannelDesc<short2>();
    resource.res.linear.sizeInBytes = 8 * sizeof(short2);
    musaTextureDesc how{};
    musaTextureObject_t texture = 0;
    CHECK(musaCreateTextureObject(&texture, &resource, &how, nullptr));
    DeviceArray<short2> out(12);
    fetch_element<<<1, 12>>>(texture, static_cast<short2*>(out), -2, 12);
    check_kernel();
    out.write();
    how.readMode = musaReadModeNormalizedFloat;
    musaTextureObject_t normalised = 0;
    CHECK(musaCreateTextureObject(&normalised, &resource, &how, nullptr));
    DeviceArray<float2> floats(8);
    fetch_element<<<1, 8>>>(normalised, static_cast<float2*>(floats), 0, 8);
    check_kernel();
    floats.write();
    // A plane of rows that have padding
    unsigned char* plane = nullptr;
    std::size_t pitch = 0;
    CHECK(musaMallocPitch(&plane, &pitch, 4, 3));
    std::vector<unsigned char> values = from_stdin<unsigned char>(12);
    CHECK(musaMemcpy2D(plane, pitch, values.data(), 4, 4, 3, musaMemcpyHostToDevice));
    musaResourceDesc pitched{};
    pitched.resType = musaResourceTypePitch2D;
    pitched.res.pitch2D = {plane, musaCreateChannelDesc<unsigned char>(), 4, 3, pitch};
    how.readMode = musaReadModeElementType;
    how.addressMode[0] = how.addressMode[1] = musaAddressModeClamp;
    musaTextureObject_t image = 0;
    CHECK(musaCreateTextureObject(&image, &pitched, &how, nullptr));
    DeviceArray<float>& at = input<float>(24);
    DeviceArray<unsigned char> bytes(12);
    fetch_2d<<<1, 12>>>(image, static_cast<float*>(at), static_cast<unsigned char*>(bytes), 12);
    check_kernel();
    bytes.write();
}

musaArray_t array_of(const musaChannelFormatDesc& desc, musaExtent extent, unsigned flags = musaArraySurfaceLoadStore) {
    musaArray_t array;
    CHECK(musaMalloc3DArray(&array, &desc, extent, flags));
    return array;
}

musaSurfaceObject_t surface_of(musaArray_t array) {
    musaResourceDesc resource{};
    resource.resType = musaResourceTypeArray;
    resource.res.array.array = array;
    musaSurfaceObject_t surface = 0;
    CHECK(musaCreateSurfaceObject(&surface, &resource));
    return surface;
}

void surfaces() {
    const std::size_t row = 5 * sizeof(float2);
    musaArray_t from = array_of(musaCreateChannelDesc<float2>(), make_musaExtent(5, 4, 0));
    musaArray_t to = array_of(musaCreateChannelDesc<float2>(), make_musaExtent(5, 4, 0));
    std::vector<float2> values = from_stdin<float2>(20);
    CHECK(musaMemcpy2DToArray(from, 0, 0, values.data(), row, row, 4, musaMemcpyHostToDevice));
    shift<<<1, dim3(5, 4)>>>(surface_of(from), surface_of(to));
    check_kernel();
    CHECK(musaMemcpy2DFromArray(values.data(), row, to, 0, 0, row, 4, musaMemcpyDeviceToHost));
    std::fwrite(values.data(), sizeof(float2), 20, stdout);
    musaArray_t box = array_of(musaCreateChannelDesc<int>(), make_musaExtent(3, 2, 2));
    std::vector<int> zeros(12, 1000);
    CHECK(musaMemcpyToArray(box, 0, 0, zeros.data(), 24, musaMemcpyHostToDevice));
    musaMemcpy3DParms copy{};
    copy.srcPtr = make_musaPitchedPtr(zeros.data(), 12, 3, 2);
    copy.dstArray = box;
    copy.extent = make_musaExtent(3, 2, 2);
    copy.kind = musaMemcpyHostToDevice;
    CHECK(musaMemcpy3D(&copy));
    cube<<<1, dim3(3, 2, 2)>>>(surface_of(box));
    check_kernel();
    musaMemcpy3DParms back{};
    back.srcArray = box;
    back.dstPtr = copy.srcPtr;
    back.extent = copy.extent;
    back.kind = musaMemcpyDeviceToHost;
    CHECK(musaMemcpy3D(&back));
    std::fwrite(zeros.data(), sizeof(int), 12, stdout);
}

void write_array(musaArray_t array, musaExtent size) {
    std::vector<int> values(size.width * size.height * size.depth);
    musaMemcpy3DParms back{};
    back.srcArray = array;
    back.dstPtr = make_musaPitchedPtr(values.data(), size.width * sizeof(int), size.width, size.height);
    back.extent = size;
    back.kind = musaMemcpyDeviceToHost;
    CHECK(musaMemcpy3D(&back));
    std::fwrite(values.data(), sizeof(int), values.size(), stdout);
}

void layers_of_surfaces() {
    const musaChannelFormatDesc desc = musaCreateChannelDesc<int>();
    std::vector<int> start(3 * 3 * 6, 1000);
    const unsigned both = musaArraySurfaceLoadStore | musaArrayLayered;
    musaArray_t lines = array_with(desc, make_musaExtent(3, 0, 6), both, start.data(), sizeof(int));
    musaArray_t planes = array_with(desc, make_musaExtent(3, 3, 6), both, start.data(), sizeof(int));
    musaArray_t cube = array_with(desc, make_musaExtent(3, 3, 6), musaArraySurfaceLoadStore | musaArrayCubemap,
                                  start.data(), sizeof(int));
    write_layers<<<1, dim3(3, 3, 6)>>>(surface_of(lines), surface_of(planes), surface_of(cube));
    check_kernel();
    write_array(lines, make_musaExtent(3, 1, 6));
    write_array(planes, make_musaExtent(3, 3, 6));
    write_array(cube, make_musaExtent(3, 3, 6));
}

void layered_errors() {
    const musaChannelFormatDesc desc = musaCreateChannelDesc<float>();
    musaArray_t array;
    const auto make = [&](std::size_t width, std::size_t height, std::size_t depth, unsigned flags) {
        return musaMalloc3DArray(&array, &desc, make_musaExtent(width, height, depth), flags);
    };
    tell("no layers", make(4, 4, 0, musaArrayLayered));
    tell("too many layers", make(4, 4, 2049, musaArrayLayered));
    tell("five faces", make(4, 4, 5, musaArrayCubemap));
    tell("faces that are no squares", make(4, 5, 6, musaArrayCubemap));
    tell("seven faces", make(4, 4, 7, musaArrayCubemap | musaArrayLayered));
    tell("two cubes", make(4, 4, 12, musaArrayCubemap | musaArrayLayered));
    tell("a box to gather from", make(4, 4, 4, musaArrayTextureGather));
    tell("sparse", make(4, 4, 0, musaArraySparse));
    tell("a line with layers", make(4, 0, 3, musaArrayLayered));
    musaExtent size{};
    unsigned flags = 0;
    tell("what it is", musaArrayGetInfo(nullptr, &size, &flags, array));
    std::printf("size=%zu %zu %zu, flags %u\n", size.width, size.height, size.depth, flags);
    DeviceArray<float> at(4), out(4);
    float *from = at, *to = out;
    fetch_1d<<<1, 4>>>(texture_of(array, musaTextureDesc{}), from, to, 4);
    tell("read as a line", musaDeviceSynchronize());
}

void errors() {
    musaArray_t plain = array_of(musaCreateChannelDesc<int>(), make_musaExtent(4, 0, 0), 0);
    DeviceArray<int> line(64);
    musaResourceDesc array{}, linear{};
    array.resType = musaResourceTypeArray;
    array.res.array.array = plain;
    linear.resType = musaResourceTypeLinear;
    linear.res.linear.devPtr = line;
    linear.res.linear.desc = musaCreateChannelDesc<int>();
    linear.res.linear.sizeInBytes = 256;
    musaTextureDesc how{};
    musaTextureObject_t texture = 0;
    tell("surface without its flag", musaCreateSurfaceObject(&texture, &array));
    tell("surface of memory", musaCreateSurfaceObject(&texture, &linear));
    how.filterMode = musaFilterModeLinear;
    tell("integers between", musaCreateTextureObject(&texture, &array, &how, nullptr));
    how.filterMode = musaFilterModePoint;
    how.readMode = musaReadModeNormalizedFloat;
    tell("32 bits as fractions", musaCreateTextureObject(&texture, &array, &how, nullptr));
    how.readMode = musaReadModeElementType;
    tell("good", musaCreateTextureObject(&texture, &array, &how, nullptr));
    musaResourceDesc resource{};
    tell("what it is", musaGetTextureObjectResourceDesc(&resource, texture));
    std::printf("same array=%d\n", resource.res.array.array == plain);
    tell("destroy", musaDestroyTextureObject(texture));
    tell("destroy again", musaDestroyTextureObject(texture));
    tell("destroyed", musaGetTextureObjectResourceDesc(&resource, texture));
    how.sRGB = 1;
    tell("sRGB of integers", musaCreateTextureObject(&texture, &array, &how, nullptr));
    how.sRGB = 0;
    linear.res.linear.devPtr = static_cast<int*>(line) + 1;
    tell("askew", musaCreateTextureObject(&texture, &linear, &how, nullptr));
    linear.res.linear.devPtr = line;
    linear.res.linear.sizeInBytes = 260;
    tell("beyond", musaCreateTextureObject(&texture, &linear, &how, nullptr));
    array.resType = musaResourceTypeMipmappedArray;
    tell("an array as a mipmapped one", musaCreateTextureObject(&texture, &array, &how, nullptr));
    tell("nothing", musaCreateTextureObject(&texture, nullptr, &how, nullptr));
}

// A kernel was launched, and its texture and surface are destroyed before it runs.
void destroyed_before_the_kernel_runs() {
    int elements[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    const musaChannelFormatDesc desc = musaCreateChannelDesc<int>();
    const musaExtent size = make_musaExtent(4, 0, 0);
    const musaArray_t first = array_with(desc, size, musaArraySurfaceLoadStore, elements[0], sizeof(int));
    const musaArray_t second = array_with(desc, size, musaArraySurfaceLoadStore, elements[1], sizeof(int));
    const musaTextureObject_t texture = texture_of(first, musaTextureDesc{});
    const musaSurfaceObject_t surface = surface_of(first);
    DeviceArray<int> out(8);
    int* to = out;
    std::atomic<bool> go{false};
    const auto wait = [](void* flag) {
        while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
    };
    CHECK(musaLaunchHostFunc(nullptr, wait, &go));
    read_both<<<1, 4>>>(texture, surface, to);
    tell("destroy texture", musaDestroyTextureObject(texture));
    tell("destroy surface", musaDestroySurfaceObject(surface));
    tell("destroy again", musaDestroyTextureObject(texture));
    musaResourceDesc resource{};
    tell("destroyed", musaGetTextureObjectResourceDesc(&resource, texture));
    std::printf("other object=%d\n", texture_of(second, musaTextureDesc{}) != texture);
    go = true;
    tell("run", musaDeviceSynchronize());
    int found[8];
    CHECK(musaMemcpy(found, to, sizeof found, musaMemcpyDeviceToHost));
    for (int i = 0; i < 4; ++i) std::printf("element %d=%d %d\n", i, found[i], found[4 + i]);
    read_both<<<1, 4>>>(texture, surface, to);
    tell("run again", musaDeviceSynchronize());
}

// Errors that end a kernel.
void faults(const std::string& which) {
    musaArray_t array = array_of(musaCreateChannelDesc<int>(), make_musaExtent(4, 0, 0));
    const musaSurfaceObject_t surface = surface_of(array);
    DeviceArray<int> out(4);
    int* to = out;
    if (which == "outside") outside<<<1, 1>>>(surface);
    if (which == "askew") askew<<<1, 1>>>(surface);
    if (which == "no texture") fetch_element<<<1, 1>>>(musaTextureObject_t(12345), to, 0, 1);
    if (which == "freed") {
        int* memory = nullptr;
        CHECK(musaMalloc(&memory, 512));
        musaResourceDesc resource{};
        resource.resType = musaResourceTypeLinear;
        resource.res.linear = {memory, musaCreateChannelDesc<int>(), 512};
        const musaTextureDesc how{};
        musaTextureObject_t texture = 0;
        CHECK(musaCreateTextureObject(&texture, &resource, &how, nullptr));
        CHECK(musaFree(memory));
        fetch_element<<<1, 1>>>(texture, to, 0, 1);
    }
    tell("result", musaDeviceSynchronize());
}

}  // namespace

int main(int, char** argv) {
    const std::string name = argv[1];
    std::vector<int> numbers;
    for (char** word = argv + 2; *word; ++word) numbers.push_back(std::atoi(*word));
    if (name == "float 1") fetch_all<float, float>(1, numbers);
    if (name == "float 2") fetch_all<float, float>(2, numbers);
    if (name == "float 3") fetch_all<float, float>(3, numbers);
    if (name == "uchar4 2") fetch_all<uchar4, uchar4>(2, numbers);
    if (name == "uchar4 fraction 2") fetch_all<uchar4, float4>(2, numbers);
    if (name == "memory") memory();
    if (name == "surfaces") surfaces();
    if (name == "from layers") fetch_from_layers(numbers);
    if (name == "gather") gathering(numbers);
    if (name == "layers of surfaces") layers_of_surfaces();
    if (name == "errors with layers") layered_errors();
    if (name == "errors") errors();
    if (name == "destroyed early") destroyed_before_the_kernel_runs();
    if (name.find("fault ") == 0) faults(name.substr(6));
}
