// driver_copies ROUTE BYTES FORMAT CHANNELS: a box of random bytes to the device and back, by the driver API.
#include <musa.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(call)                                                                  \
    if (MUresult result = (call); result != MUSA_SUCCESS) {                          \
        const char* name = "?";                                                      \
        muGetErrorName(result, &name);                                               \
        std::fprintf(stderr, "%s: %s\n", #call, name);                               \
        std::exit(3);                                                                \
    }

namespace {

// The whole on the host, and the box within it, in bytes, rows and slices.
struct Sizes {
    size_t width, height, depth, x, y, z, box_width, box_height, box_depth;
};

const char* answer(MUresult result) {
    const char* name = "?";
    muGetErrorName(result, &name);
    return name;
}

void refusals() {
    MUSA_MEMCPY3D box{};
    std::printf("nothing=%s\n", answer(muMemcpy3D(nullptr)));
    std::printf("empty=%s\n", answer(muMemcpy3D(&box)));
    box.WidthInBytes = box.Height = box.Depth = 1;
    std::printf("no memory=%s\n", answer(muMemcpy3D(&box)));
    char byte = 0;
    box.srcMemoryType = box.dstMemoryType = MU_MEMORYTYPE_HOST;
    box.srcHost = box.dstHost = &byte;
    box.srcLOD = 1;
    std::printf("level=%s\n", answer(muMemcpy3D(&box)));
    MUarray array;
    MUSA_ARRAY3D_DESCRIPTOR description{8, 8, 0, MU_AD_FORMAT_FLOAT, 3, 0};
    std::printf("three channels=%s\n", answer(muArray3DCreate(&array, &description)));
    void* extra[] = {MU_LAUNCH_PARAM_BUFFER_POINTER, &byte, MU_LAUNCH_PARAM_END};
    std::printf("no function=%s\n", answer(muLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra)));
}

}  // namespace

int main(int, char** arguments) {
    CHECK(muInit(0));
    MUdevice device;
    MUcontext context;
    CHECK(muDeviceGet(&device, 0));
    CHECK(muCtxCreate(&context, 0, device));
    const std::string route = arguments[1];
    if (route == "refusals") {
        refusals();
        return 0;
    }
    const auto element = static_cast<size_t>(std::atoi(arguments[2]));
    const auto format = static_cast<MUarray_format>(std::atoi(arguments[3]));
    const auto channels = static_cast<unsigned>(std::atoi(arguments[4]));
    Sizes s;
    if (std::fread(&s, sizeof s, 1, stdin) != 1) return 2;
    const size_t bytes = s.width * s.height * s.depth;
    std::vector<char> from(bytes), to(bytes, 0);
    if (std::fread(from.data(), 1, bytes, stdin) != bytes) return 2;

    MUSA_MEMCPY3D there{};
    there.srcMemoryType = MU_MEMORYTYPE_HOST;
    there.srcHost = from.data();
    there.srcPitch = s.width;
    there.srcHeight = s.height;
    there.srcXInBytes = s.x;
    there.srcY = s.y;
    there.srcZ = s.z;
    there.WidthInBytes = s.box_width;
    there.Height = s.box_height;
    there.Depth = s.box_depth;
    MUSA_MEMCPY3D back = there;
    back.dstMemoryType = MU_MEMORYTYPE_HOST;
    back.dstHost = to.data();
    back.dstPitch = s.width;
    back.dstHeight = s.height;
    back.dstXInBytes = s.x;
    back.dstY = s.y;
    back.dstZ = s.z;

    MUarray array = nullptr;
    MUdeviceptr linear = 0;
    MUstream stream;
    CHECK(muStreamCreate(&stream, MU_STREAM_NON_BLOCKING));
    if (route == "array") {
        const MUSA_ARRAY3D_DESCRIPTOR wanted{s.width / element, s.height, s.depth, format, channels, 0};
        MUSA_ARRAY3D_DESCRIPTOR made{};
        CHECK(muArray3DCreate(&array, &wanted));
        CHECK(muArray3DGetDescriptor(&made, array));
        if (made.Width != wanted.Width || made.Height != wanted.Height || made.Depth != wanted.Depth ||
            made.Format != format || made.NumChannels != channels)
            return 4;
        there.dstMemoryType = back.srcMemoryType = MU_MEMORYTYPE_ARRAY;
        there.dstArray = back.srcArray = array;
        back.srcHost = nullptr;
        there.dstXInBytes = s.x, there.dstY = s.y, there.dstZ = s.z;
    } else {
        CHECK(muMemAlloc(&linear, 2 * bytes));
        there.dstMemoryType = back.srcMemoryType = route == "unified" ? MU_MEMORYTYPE_UNIFIED : MU_MEMORYTYPE_DEVICE;
        there.dstDevice = back.srcDevice = linear;
        there.dstPitch = back.srcPitch = s.width + 16;
        there.dstHeight = back.srcHeight = s.height;
        there.dstXInBytes = s.x, there.dstY = s.y, there.dstZ = s.z;
    }
    if (s.depth > 1 || route == "unified") {
        CHECK(muMemcpy3DAsync(&there, stream));
        CHECK(muStreamSynchronize(stream));
        CHECK(muMemcpy3D(&back));
    } else {
        MUSA_MEMCPY2D flat{};
        flat.srcXInBytes = there.srcXInBytes, flat.srcY = there.srcY, flat.srcMemoryType = there.srcMemoryType;
        flat.srcHost = there.srcHost, flat.srcPitch = there.srcPitch;
        flat.dstXInBytes = there.dstXInBytes, flat.dstY = there.dstY, flat.dstMemoryType = there.dstMemoryType;
        flat.dstDevice = there.dstDevice, flat.dstArray = there.dstArray, flat.dstPitch = there.dstPitch;
        flat.WidthInBytes = there.WidthInBytes, flat.Height = there.Height;
        CHECK(muMemcpy2D(&flat));
        MUSA_MEMCPY2D home{};
        home.srcXInBytes = back.srcXInBytes, home.srcY = back.srcY, home.srcMemoryType = back.srcMemoryType;
        home.srcDevice = back.srcDevice, home.srcArray = back.srcArray, home.srcPitch = back.srcPitch;
        home.dstXInBytes = back.dstXInBytes, home.dstY = back.dstY, home.dstMemoryType = back.dstMemoryType;
        home.dstHost = back.dstHost, home.dstPitch = back.dstPitch;
        home.WidthInBytes = back.WidthInBytes, home.Height = back.Height;
        CHECK(muMemcpy2DAsync(&home, stream));
        CHECK(muStreamSynchronize(stream));
    }
    if (array) CHECK(muArrayDestroy(array));
    std::fwrite(to.data(), 1, bytes, stdout);
}
