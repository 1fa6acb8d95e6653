// CUDA's oldest way to launch: functions set the shape and the arguments of a kernel, and the next launch uses them.
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "base/lifetime.h"
#include "driver.h"

namespace {

struct NextLaunch {
    unsigned block[3] = {1, 1, 1};
    unsigned shared_bytes = 0;
    std::vector<char> arguments{};
};

std::mutex mutex;

std::map<MUfunction, NextLaunch>& launches() {
    static auto& all = musa_sim::leaked<std::map<MUfunction, NextLaunch>>();
    return all;
}

// Change the function's next launch. As in CUDA, only the launch checks the parameters.
template <class Change>
MUresult change(MUfunction function, Change made) {
    const MUresult status = driver::check_initialised();
    if (status != MUSA_SUCCESS) return status;
    if (!function) return MUSA_ERROR_INVALID_HANDLE;
    std::lock_guard<std::mutex> lock(mutex);
    return made(launches()[function]);
}

MUresult put(MUfunction function, int offset, const void* value, std::size_t bytes) {
    if (offset < 0 || !value) return MUSA_ERROR_INVALID_VALUE;
    return change(function, [=](NextLaunch& launch) {
        const std::size_t end = static_cast<std::size_t>(offset) + bytes;
        if (launch.arguments.size() < end) launch.arguments.resize(end);
        std::memcpy(launch.arguments.data() + offset, value, bytes);
        return MUSA_SUCCESS;
    });
}

}  // namespace

MUSA_EXPORT MUresult muFuncSetBlockShape(MUfunction function, int x, int y, int z) {
    if (x <= 0 || y <= 0 || z <= 0) return MUSA_ERROR_INVALID_VALUE;
    return change(function, [=](NextLaunch& launch) {
        launch.block[0] = static_cast<unsigned>(x);
        launch.block[1] = static_cast<unsigned>(y);
        launch.block[2] = static_cast<unsigned>(z);
        return MUSA_SUCCESS;
    });
}

MUSA_EXPORT MUresult muFuncSetSharedSize(MUfunction function, unsigned int bytes) {
    return change(function, [=](NextLaunch& launch) {
        launch.shared_bytes = bytes;
        return MUSA_SUCCESS;
    });
}

MUSA_EXPORT MUresult muParamSetSize(MUfunction function, unsigned int bytes) {
    return change(function, [=](NextLaunch& launch) {
        launch.arguments.resize(bytes);
        return MUSA_SUCCESS;
    });
}

MUSA_EXPORT MUresult muParamSeti(MUfunction function, int offset, unsigned int value) {
    return put(function, offset, &value, sizeof value);
}

MUSA_EXPORT MUresult muParamSetf(MUfunction function, int offset, float value) {
    return put(function, offset, &value, sizeof value);
}

MUSA_EXPORT MUresult muParamSetv(MUfunction function, int offset, void* value, unsigned int bytes) {
    return put(function, offset, value, bytes);
}

MUSA_EXPORT MUresult muLaunchGridAsync(MUfunction function, int grid_width, int grid_height, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    if (grid_width <= 0 || grid_height <= 0) return MUSA_ERROR_INVALID_VALUE;
    NextLaunch launch;
    const MUresult known = change(function, [&](const NextLaunch& next) {
        launch = next;
        return MUSA_SUCCESS;
    });
    if (known != MUSA_SUCCESS) return known;
    std::size_t bytes = launch.arguments.size();
    char none = 0;
    void* extra[] = {MU_LAUNCH_PARAM_BUFFER_POINTER, bytes > 0 ? launch.arguments.data() : &none,
                     MU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, MU_LAUNCH_PARAM_END};
    return muLaunchKernel(function, static_cast<unsigned>(grid_width), static_cast<unsigned>(grid_height), 1,
                          launch.block[0], launch.block[1], launch.block[2], launch.shared_bytes, stream, nullptr, extra);
}

MUSA_EXPORT MUresult muLaunchGrid(MUfunction function, int grid_width, int grid_height) {
    const driver::RecordedCall recorded(__func__);
    return muLaunchGridAsync(function, grid_width, grid_height, nullptr);
}

MUSA_EXPORT MUresult muLaunch(MUfunction function) {
    const driver::RecordedCall recorded(__func__);
    return muLaunchGrid(function, 1, 1);
}
