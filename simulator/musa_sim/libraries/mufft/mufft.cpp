// muFFT's API: handles, checks of arguments, and the execution of plans in the order of a stream.
#include "base/lifetime.h"
#include <mufftXt.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "../enqueue.h"
#include "plan.h"

namespace {

using mufft::Extents;
using mufft::Layout;
using mufft::Plan;

struct Handle {
    std::shared_ptr<const Plan> plan;  // shared: enqueued work needs it after mufftDestroy
    musaStream_t stream = nullptr;
    std::vector<int> devices;  // of a plan for several
};

class Handles {
public:
    static Handles& instance() {
        static Handles& handles = musa_sim::leaked<Handles>();
        return handles;
    }
    mufftHandle add() {
        std::lock_guard<std::mutex> lock(mutex_);
        handles_[++last_];
        return last_;
    }
    mufftResult remove(mufftHandle handle) {
        std::lock_guard<std::mutex> lock(mutex_);
        return handles_.erase(handle) ? MUFFT_SUCCESS : MUFFT_INVALID_PLAN;
    }
    template <class Change>
    mufftResult with(mufftHandle handle, Change change) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto found = handles_.find(handle);
        return found == handles_.end() ? MUFFT_INVALID_PLAN : change(found->second);
    }

private:
    std::mutex mutex_;
    std::unordered_map<mufftHandle, Handle> handles_;
    mufftHandle last_ = 0;
};

template <class Change>
mufftResult with(mufftHandle handle, Change change) {
    return Handles::instance().with(handle, change);
}

bool is_type(mufftType type) {
    switch (type) {
        case MUFFT_C2C:
        case MUFFT_Z2Z:
        case MUFFT_R2C:
        case MUFFT_D2Z:
        case MUFFT_C2R:
        case MUFFT_Z2D: return true;
    }
    return false;
}

constexpr Layout dense{true, {}, 0, 0};

mufftResult make(mufftHandle handle, const Plan& plan, std::size_t* work_size) {
    return with(handle, [&](Handle& made) {
        if (made.plan) return MUFFT_INVALID_PLAN;
        if (!is_type(plan.type)) return MUFFT_INVALID_TYPE;
        made.plan = std::make_shared<const Plan>(plan);
        if (work_size) std::fill_n(work_size, std::max<std::size_t>(1, made.devices.size()), std::size_t(0));
        return MUFFT_SUCCESS;
    });
}

// A function that makes or measures a described plan.
using Use = mufftResult (*)(mufftHandle, const Plan&, std::size_t*);

// Return the size of the work area that a plan would have.
mufftResult measure(mufftHandle, const Plan& plan, std::size_t* work_size) {
    if (!is_type(plan.type)) return MUFFT_INVALID_TYPE;
    if (!work_size) return MUFFT_INVALID_VALUE;
    *work_size = 0;
    return MUFFT_SUCCESS;
}

mufftResult measure_of_handle(mufftHandle handle, const Plan& plan, std::size_t* work_size) {
    const mufftResult known = with(handle, [](Handle&) { return MUFFT_SUCCESS; });
    return known == MUFFT_SUCCESS ? measure(handle, plan, work_size) : known;
}

mufftResult use_dense(Use use, mufftHandle handle, int nx, int ny, int nz, mufftType type, int batch,
                      std::size_t* work_size) {
    if (nx < 1 || ny < 1 || nz < 1 || batch < 1) return MUFFT_INVALID_SIZE;
    const Extents size{static_cast<std::size_t>(nx), static_cast<std::size_t>(ny), static_cast<std::size_t>(nz)};
    return use(handle, {type, size, static_cast<std::size_t>(batch), dense, dense}, work_size);
}

// Fill in the last `rank` of three sizes; the others are 1.
template <class Size>
bool extents(int rank, const Size* numbers, Extents* result) {
    *result = {1, 1, 1};
    for (int i = 0; i < rank; ++i) {
        if (numbers[i] < 1) return false;
        (*result)[static_cast<std::size_t>(3 - rank + i)] = static_cast<std::size_t>(numbers[i]);
    }
    return true;
}

// Make a plan; on failure, destroy the handle.
template <class Make>
mufftResult create_and(mufftHandle* plan, Make make) {
    mufftResult result = mufftCreate(plan);
    if (result != MUFFT_SUCCESS) return result;
    result = make(*plan);
    if (result != MUFFT_SUCCESS) mufftDestroy(*plan);
    return result;
}

mufftResult execute(mufftHandle handle, mufftType type, const void* input, void* output, int sign = MUFFT_FORWARD) {
    Handle now;
    const mufftResult known = with(handle, [&](Handle& found) {
        now = found;
        return MUFFT_SUCCESS;
    });
    if (known != MUFFT_SUCCESS || !now.plan) return MUFFT_INVALID_PLAN;
    if (now.plan->type != type) return MUFFT_INVALID_TYPE;
    if (!input || !output || (sign != MUFFT_FORWARD && sign != MUFFT_INVERSE)) return MUFFT_INVALID_VALUE;
    const auto work = [=, plan = now.plan] { mufft::execute(*plan, input, output, sign); };
    return musa_sim::enqueue_work(now.stream, work, "mufft::execute") == musaSuccess ? MUFFT_SUCCESS : MUFFT_EXEC_FAILED;
}

}  // namespace

MUSA_EXPORT mufftResult mufftCreate(mufftHandle* plan) {
    if (!plan) return MUFFT_INVALID_VALUE;
    int count = 0;
    if (musaGetDeviceCount(&count) != musaSuccess) return MUFFT_SETUP_FAILED;
    *plan = Handles::instance().add();
    return MUFFT_SUCCESS;
}

MUSA_EXPORT mufftResult mufftDestroy(mufftHandle plan) { return Handles::instance().remove(plan); }

MUSA_EXPORT mufftResult mufftMakePlan1d(mufftHandle plan, int nx, mufftType type, int batch, size_t* work_size) {
    return use_dense(make, plan, 1, 1, nx, type, batch, work_size);
}

MUSA_EXPORT mufftResult mufftMakePlan2d(mufftHandle plan, int nx, int ny, mufftType type, size_t* work_size) {
    return use_dense(make, plan, 1, nx, ny, type, 1, work_size);
}

MUSA_EXPORT mufftResult mufftMakePlan3d(mufftHandle plan, int nx, int ny, int nz, mufftType type,
                                        size_t* work_size) {
    return use_dense(make, plan, nx, ny, nz, type, 1, work_size);
}

namespace {

template <class Size>
mufftResult use_many(Use use, mufftHandle plan, int rank, const Size* n, const Size* inembed, Size istride, Size idist,
                      const Size* onembed, Size ostride, Size odist, mufftType type, Size batch, size_t* work_size) {
    Extents size, in_embed, out_embed;
    if (rank < 1 || rank > 3 || !n) return MUFFT_INVALID_VALUE;
    if (batch < 1 || !extents(rank, n, &size)) return MUFFT_INVALID_SIZE;
    const auto batches = static_cast<std::size_t>(batch);
    if (!inembed || !onembed) return use(plan, {type, size, batches, dense, dense}, work_size);
    if (!extents(rank, inembed, &in_embed) || !extents(rank, onembed, &out_embed)) return MUFFT_INVALID_SIZE;
    if (istride < 1 || ostride < 1 || idist < 0 || odist < 0) return MUFFT_INVALID_VALUE;
    const Layout in{false, in_embed, static_cast<std::size_t>(istride), static_cast<std::size_t>(idist)};
    const Layout out{false, out_embed, static_cast<std::size_t>(ostride), static_cast<std::size_t>(odist)};
    return use(plan, {type, size, batches, in, out}, work_size);
}

// Return the plan type for these data types.
mufftResult type_of(musaDataType input, musaDataType output, musaDataType computed, mufftType* type) {
    struct Known {
        musaDataType input, output, computed;
        mufftType type;
    };
    constexpr Known all[] = {{MUSA_C_32F, MUSA_C_32F, MUSA_C_32F, MUFFT_C2C}, {MUSA_R_32F, MUSA_C_32F, MUSA_C_32F, MUFFT_R2C},
                             {MUSA_C_32F, MUSA_R_32F, MUSA_C_32F, MUFFT_C2R}, {MUSA_C_64F, MUSA_C_64F, MUSA_C_64F, MUFFT_Z2Z},
                             {MUSA_R_64F, MUSA_C_64F, MUSA_C_64F, MUFFT_D2Z}, {MUSA_C_64F, MUSA_R_64F, MUSA_C_64F, MUFFT_Z2D}};
    for (const Known& known : all) {
        if (known.input != input || known.output != output || known.computed != computed) continue;
        *type = known.type;
        return MUFFT_SUCCESS;
    }
    return MUFFT_NOT_SUPPORTED;
}

}  // namespace

MUSA_EXPORT mufftResult mufftMakePlanMany(mufftHandle plan, int rank, int* n, int* inembed, int istride, int idist,
                                          int* onembed, int ostride, int odist, mufftType type, int batch,
                                          size_t* work_size) {
    return use_many(make, plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, work_size);
}

MUSA_EXPORT mufftResult mufftXtMakePlanMany(mufftHandle plan, int rank, long long int* n, long long int* inembed,
                                            long long int istride, long long int idist, musaDataType input,
                                            long long int* onembed, long long int ostride, long long int odist,
                                            musaDataType output, long long int batch, size_t* work_size,
                                            musaDataType computed) {
    mufftType type{};
    const mufftResult known = type_of(input, output, computed, &type);
    if (known != MUFFT_SUCCESS) return known;
    return use_many(make, plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, work_size);
}

MUSA_EXPORT mufftResult mufftXtGetSizeMany(mufftHandle plan, int, long long int*, long long int*, long long int, long long int,
                                           musaDataType input, long long int*, long long int, long long int,
                                           musaDataType output, long long int, size_t* work_size, musaDataType computed) {
    mufftType type{};
    const mufftResult known = type_of(input, output, computed, &type);
    return known == MUFFT_SUCCESS ? mufftGetSize(plan, work_size) : known;
}

MUSA_EXPORT mufftResult mufftMakePlanMany64(mufftHandle plan, int rank, long long int* n, long long int* inembed,
                                            long long int istride, long long int idist, long long int* onembed,
                                            long long int ostride, long long int odist, mufftType type,
                                            long long int batch, size_t* work_size) {
    return use_many(make, plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, work_size);
}

MUSA_EXPORT mufftResult mufftEstimate1d(int nx, mufftType type, int batch, size_t* work_size) {
    return use_dense(measure, 0, 1, 1, nx, type, batch, work_size);
}

MUSA_EXPORT mufftResult mufftEstimate2d(int nx, int ny, mufftType type, size_t* work_size) {
    return use_dense(measure, 0, 1, nx, ny, type, 1, work_size);
}

MUSA_EXPORT mufftResult mufftEstimate3d(int nx, int ny, int nz, mufftType type, size_t* work_size) {
    return use_dense(measure, 0, nx, ny, nz, type, 1, work_size);
}

MUSA_EXPORT mufftResult mufftEstimateMany(int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                                          int odist, mufftType type, int batch, size_t* work_size) {
    return use_many(measure, 0, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, work_size);
}

MUSA_EXPORT mufftResult mufftGetSize1d(mufftHandle plan, int nx, mufftType type, int batch, size_t* work_size) {
    return use_dense(measure_of_handle, plan, 1, 1, nx, type, batch, work_size);
}

MUSA_EXPORT mufftResult mufftGetSize2d(mufftHandle plan, int nx, int ny, mufftType type, size_t* work_size) {
    return use_dense(measure_of_handle, plan, 1, nx, ny, type, 1, work_size);
}

MUSA_EXPORT mufftResult mufftGetSize3d(mufftHandle plan, int nx, int ny, int nz, mufftType type, size_t* work_size) {
    return use_dense(measure_of_handle, plan, nx, ny, nz, type, 1, work_size);
}

MUSA_EXPORT mufftResult mufftGetSizeMany(mufftHandle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                                         int ostride, int odist, mufftType type, int batch, size_t* work_size) {
    return use_many(measure_of_handle, plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, work_size);
}

MUSA_EXPORT mufftResult mufftGetSizeMany64(mufftHandle plan, int rank, long long int* n, long long int* inembed,
                                           long long int istride, long long int idist, long long int* onembed,
                                           long long int ostride, long long int odist, mufftType type,
                                           long long int batch, size_t* work_size) {
    return use_many(measure_of_handle, plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, work_size);
}

MUSA_EXPORT mufftResult mufftGetProperty(libraryPropertyType type, int* value) {
    if (!value) return MUFFT_INVALID_VALUE;
    switch (type) {
        case MAJOR_VERSION: *value = MUFFT_VER_MAJOR; return MUFFT_SUCCESS;
        case MINOR_VERSION: *value = MUFFT_VER_MINOR; return MUFFT_SUCCESS;
        case PATCH_LEVEL: *value = MUFFT_VER_PATCH; return MUFFT_SUCCESS;
    }
    return MUFFT_INVALID_VALUE;
}

MUSA_EXPORT mufftResult mufftXtSetWorkAreaPolicy(mufftHandle plan, mufftXtWorkAreaPolicy policy, size_t* work_size) {
    if (policy < MUFFT_WORKAREA_MINIMAL || policy > MUFFT_WORKAREA_PERFORMANCE) return MUFFT_INVALID_VALUE;
    return work_size ? mufftGetSize(plan, work_size) : with(plan, [](Handle&) { return MUFFT_SUCCESS; });
}

MUSA_EXPORT mufftResult mufftXtSetWorkArea(mufftHandle plan, void** work_area) {
    if (!work_area) return MUFFT_INVALID_VALUE;
    return with(plan, [](Handle&) { return MUFFT_SUCCESS; });
}

MUSA_EXPORT mufftResult mufftPlan1d(mufftHandle* plan, int nx, mufftType type, int batch) {
    return create_and(plan, [=](mufftHandle made) { return mufftMakePlan1d(made, nx, type, batch, nullptr); });
}

MUSA_EXPORT mufftResult mufftPlan2d(mufftHandle* plan, int nx, int ny, mufftType type) {
    return create_and(plan, [=](mufftHandle made) { return mufftMakePlan2d(made, nx, ny, type, nullptr); });
}

MUSA_EXPORT mufftResult mufftPlan3d(mufftHandle* plan, int nx, int ny, int nz, mufftType type) {
    return create_and(plan, [=](mufftHandle made) { return mufftMakePlan3d(made, nx, ny, nz, type, nullptr); });
}

MUSA_EXPORT mufftResult mufftPlanMany(mufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist,
                                      int* onembed, int ostride, int odist, mufftType type, int batch) {
    return create_and(plan, [=](mufftHandle made) {
        return mufftMakePlanMany(made, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, nullptr);
    });
}

MUSA_EXPORT mufftResult mufftGetVersion(int* version) {
    if (!version) return MUFFT_INVALID_VALUE;
    *version = MUFFT_VERSION;
    return MUFFT_SUCCESS;
}

MUSA_EXPORT mufftResult mufftGetSize(mufftHandle plan, size_t* work_size) {
    if (!work_size) return MUFFT_INVALID_VALUE;
    *work_size = 0;
    return with(plan, [](Handle&) { return MUFFT_SUCCESS; });
}

MUSA_EXPORT mufftResult mufftSetStream(mufftHandle plan, musaStream_t stream) {
    return with(plan, [&](Handle& handle) {
        handle.stream = stream;
        return MUFFT_SUCCESS;
    });
}

MUSA_EXPORT mufftResult mufftSetAutoAllocation(mufftHandle plan, int) {
    return with(plan, [](Handle&) { return MUFFT_SUCCESS; });
}

MUSA_EXPORT mufftResult mufftSetWorkArea(mufftHandle plan, void*) {
    return with(plan, [](Handle&) { return MUFFT_SUCCESS; });
}

MUSA_EXPORT mufftResult mufftXtExec(mufftHandle plan, void* input, void* output, int direction) {
    mufftType type{};
    const mufftResult known = with(plan, [&](Handle& handle) {
        if (!handle.plan) return MUFFT_INVALID_PLAN;
        type = handle.plan->type;
        return MUFFT_SUCCESS;
    });
    return known == MUFFT_SUCCESS ? execute(plan, type, input, output, direction) : known;
}

MUSA_EXPORT mufftResult mufftExecC2C(mufftHandle plan, mufftComplex* input, mufftComplex* output, int direction) {
    return execute(plan, MUFFT_C2C, input, output, direction);
}

MUSA_EXPORT mufftResult mufftExecZ2Z(mufftHandle plan, mufftDoubleComplex* input, mufftDoubleComplex* output,
                                     int direction) {
    return execute(plan, MUFFT_Z2Z, input, output, direction);
}

MUSA_EXPORT mufftResult mufftExecR2C(mufftHandle plan, mufftReal* input, mufftComplex* output) {
    return execute(plan, MUFFT_R2C, input, output);
}

MUSA_EXPORT mufftResult mufftExecD2Z(mufftHandle plan, mufftDoubleReal* input, mufftDoubleComplex* output) {
    return execute(plan, MUFFT_D2Z, input, output);
}

MUSA_EXPORT mufftResult mufftExecC2R(mufftHandle plan, mufftComplex* input, mufftReal* output) {
    return execute(plan, MUFFT_C2R, input, output);
}

MUSA_EXPORT mufftResult mufftExecZ2D(mufftHandle plan, mufftDoubleComplex* input, mufftDoubleReal* output) {
    return execute(plan, MUFFT_Z2D, input, output);
}

// --- data on several devices: gathered, transformed and distributed again ---

namespace {

musaLibXtDesc* checked(musaLibXtDesc* data) {
    return data && data->descriptor && data->library == LIB_FORMAT_MUFFT ? data : nullptr;
}

std::size_t element_size(const Plan& plan) {
    return plan.type == MUFFT_C2C ? sizeof(mufftComplex) : plan.type == MUFFT_Z2Z ? sizeof(mufftDoubleComplex) : 0;
}

// The plan of a handle for several devices. `use` is called without a lock: it copies and waits.
template <class UsePlan>
mufftResult with_distributed(mufftHandle handle, UsePlan use) {
    Handle now;
    const mufftResult known = with(handle, [&](Handle& found) {
        now = found;
        return MUFFT_SUCCESS;
    });
    if (known != MUFFT_SUCCESS || !now.plan || now.devices.empty()) return MUFFT_INVALID_PLAN;
    if (!element_size(*now.plan) || !now.plan->input.dense || !now.plan->output.dense) return MUFFT_NOT_SUPPORTED;
    return use(*now.plan, now.devices);
}

// The bytes of each device's part.
std::vector<std::size_t> parts(const Plan& plan, std::size_t devices) {
    const auto [x, y, z] = plan.size;
    const std::size_t all = x * y * z * plan.batches;
    const std::size_t units = plan.batches > 1 ? plan.batches : x > 1 ? x : y > 1 ? y : z;
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < devices; ++i)
        sizes.push_back((units / devices + (i < units % devices)) * (all / units) * element_size(plan));
    return sizes;
}

// Work of all devices is over; the caller's device is current again.
bool wait_for(const std::vector<int>& devices) {
    int current = 0;
    bool good = musaGetDevice(&current) == musaSuccess;
    for (int device : devices) good = good && musaSetDevice(device) == musaSuccess && musaDeviceSynchronize() == musaSuccess;
    return musaSetDevice(current) == musaSuccess && good;
}

bool fits(const musaLibXtDesc* data, const std::vector<std::size_t>& sizes) {
    return data && static_cast<std::size_t>(data->descriptor->nGPUs) == sizes.size() &&
           std::equal(sizes.begin(), sizes.end(), data->descriptor->size);
}

template <class Copy>
bool for_each_part(const musaLibXtDesc& data, Copy copy) {
    std::size_t at = 0;
    for (int i = 0; i < data.descriptor->nGPUs; at += data.descriptor->size[i++])
        if (data.descriptor->size[i] && copy(data.descriptor->data[i], at, data.descriptor->size[i]) != musaSuccess) return false;
    return true;
}

bool gather(const musaLibXtDesc& data, unsigned char* to) {
    return for_each_part(data, [&](void* part, std::size_t at, std::size_t size) {
        return musaMemcpy(to + at, part, size, musaMemcpyDefault);
    });
}
bool distribute(const musaLibXtDesc& data, const unsigned char* from) {
    return for_each_part(data, [&](void* part, std::size_t at, std::size_t size) {
        return musaMemcpy(part, from + at, size, musaMemcpyDefault);
    });
}

std::size_t sum(const std::vector<std::size_t>& sizes) {
    std::size_t all = 0;
    for (std::size_t size : sizes) all += size;
    return all;
}

mufftResult execute_distributed(mufftHandle handle, const mufftType* wanted, musaLibXtDesc* input, musaLibXtDesc* output, int sign) {
    return with_distributed(handle, [&](const Plan& plan, const std::vector<int>& devices) {
        if (wanted && plan.type != *wanted) return MUFFT_INVALID_TYPE;
        const std::vector<std::size_t> sizes = parts(plan, devices.size());
        if (!fits(checked(input), sizes) || !fits(checked(output), sizes) || (sign != MUFFT_FORWARD && sign != MUFFT_INVERSE))
            return MUFFT_INVALID_VALUE;
        std::vector<unsigned char> from(sum(sizes)), to(from.size());
        if (!wait_for(devices) || !gather(*input, from.data())) return MUFFT_EXEC_FAILED;
        mufft::execute(plan, from.data(), to.data(), sign);
        return distribute(*output, to.data()) ? MUFFT_SUCCESS : MUFFT_EXEC_FAILED;
    });
}

}  // namespace

MUSA_EXPORT mufftResult mufftXtSetGPUs(mufftHandle handle, int nGPUs, int* whichGPUs) {
    int count = 0;
    if (musaGetDeviceCount(&count) != musaSuccess) return MUFFT_SETUP_FAILED;
    if (nGPUs < 1 || nGPUs > MAX_MUSA_DESCRIPTOR_GPUS || !whichGPUs) return MUFFT_INVALID_VALUE;
    std::vector<int> devices(whichGPUs, whichGPUs + nGPUs), sorted = devices;
    std::sort(sorted.begin(), sorted.end());
    const bool there = sorted.front() >= 0 && sorted.back() < count;
    if (!there || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return MUFFT_INVALID_DEVICE;
    return with(handle, [&](Handle& found) {
        if (found.plan) return MUFFT_INVALID_PLAN;
        found.devices = devices;
        return MUFFT_SUCCESS;
    });
}

MUSA_EXPORT mufftResult mufftXtMalloc(mufftHandle plan, musaLibXtDesc** descriptor, mufftXtSubFormat format) {
    return with_distributed(plan, [&](const Plan& made, const std::vector<int>& devices) {
        if (!descriptor || format < MUFFT_XT_FORMAT_INPUT || format >= MUFFT_FORMAT_UNDEFINED) return MUFFT_INVALID_VALUE;
        const std::vector<std::size_t> sizes = parts(made, devices.size());
        auto data = std::make_unique<musaLibXtDesc>();
        auto all = std::make_unique<musaXtDesc>();
        *all = {MUSA_XT_DESCRIPTOR_VERSION, static_cast<int>(devices.size()), {}, {}, {}, nullptr};
        *data = {MUSA_XT_DESCRIPTOR_VERSION, all.get(), LIB_FORMAT_MUFFT, format, nullptr};
        int current = 0;
        bool good = musaGetDevice(&current) == musaSuccess;
        for (std::size_t i = 0; good && i < devices.size(); ++i) {
            all->GPUs[i] = devices[i], all->size[i] = sizes[i];
            good = musaSetDevice(devices[i]) == musaSuccess && (!sizes[i] || musaMalloc(&all->data[i], sizes[i]) == musaSuccess);
        }
        good = musaSetDevice(current) == musaSuccess && good;
        if (!good) {
            for (void* part : all->data) musaFree(part);
            return MUFFT_ALLOC_FAILED;
        }
        all.release();
        *descriptor = data.release();
        return MUFFT_SUCCESS;
    });
}

MUSA_EXPORT mufftResult mufftXtFree(musaLibXtDesc* descriptor) {
    if (!checked(descriptor)) return MUFFT_INVALID_VALUE;
    bool good = true;
    for (int i = 0; i < descriptor->descriptor->nGPUs; ++i) good = musaFree(descriptor->descriptor->data[i]) == musaSuccess && good;
    delete descriptor->descriptor;
    delete descriptor;
    return good ? MUFFT_SUCCESS : MUFFT_EXEC_FAILED;
}

MUSA_EXPORT mufftResult mufftXtMemcpy(mufftHandle plan, void* dstPointer, void* srcPointer, mufftXtCopyType type) {
    return with_distributed(plan, [&](const Plan& made, const std::vector<int>& devices) {
        const std::vector<std::size_t> sizes = parts(made, devices.size());
        if (!dstPointer || !srcPointer || type < MUFFT_COPY_HOST_TO_DEVICE || type > MUFFT_COPY_DEVICE_TO_DEVICE)
            return MUFFT_INVALID_VALUE;
        auto* const to = type == MUFFT_COPY_DEVICE_TO_HOST ? nullptr : static_cast<musaLibXtDesc*>(dstPointer);
        auto* const from = type == MUFFT_COPY_HOST_TO_DEVICE ? nullptr : static_cast<musaLibXtDesc*>(srcPointer);
        if ((to && !fits(checked(to), sizes)) || (from && !fits(checked(from), sizes))) return MUFFT_INVALID_VALUE;
        std::vector<unsigned char> between(to && from ? sum(sizes) : 0);
        if (!wait_for(devices)) return MUFFT_EXEC_FAILED;
        auto* const gathered = to ? between.data() : static_cast<unsigned char*>(dstPointer);
        if (from && !gather(*from, gathered)) return MUFFT_EXEC_FAILED;
        if (to && !distribute(*to, from ? gathered : static_cast<unsigned char*>(srcPointer))) return MUFFT_EXEC_FAILED;
        return MUFFT_SUCCESS;
    });
}

MUSA_EXPORT mufftResult mufftXtExecDescriptor(mufftHandle plan, musaLibXtDesc* input, musaLibXtDesc* output, int direction) {
    return execute_distributed(plan, nullptr, input, output, direction);
}
MUSA_EXPORT mufftResult mufftXtExecDescriptorC2C(mufftHandle plan, musaLibXtDesc* input, musaLibXtDesc* output, int direction) {
    const mufftType type = MUFFT_C2C;
    return execute_distributed(plan, &type, input, output, direction);
}
MUSA_EXPORT mufftResult mufftXtExecDescriptorZ2Z(mufftHandle plan, musaLibXtDesc* input, musaLibXtDesc* output, int direction) {
    const mufftType type = MUFFT_Z2Z;
    return execute_distributed(plan, &type, input, output, direction);
}
MUSA_EXPORT mufftResult mufftXtExecDescriptorR2C(mufftHandle, musaLibXtDesc*, musaLibXtDesc*) { return MUFFT_NOT_SUPPORTED; }
MUSA_EXPORT mufftResult mufftXtExecDescriptorD2Z(mufftHandle, musaLibXtDesc*, musaLibXtDesc*) { return MUFFT_NOT_SUPPORTED; }
MUSA_EXPORT mufftResult mufftXtExecDescriptorC2R(mufftHandle, musaLibXtDesc*, musaLibXtDesc*) { return MUFFT_NOT_SUPPORTED; }
MUSA_EXPORT mufftResult mufftXtExecDescriptorZ2D(mufftHandle, musaLibXtDesc*, musaLibXtDesc*) { return MUFFT_NOT_SUPPORTED; }
MUSA_EXPORT mufftResult mufftXtQueryPlan(mufftHandle, void*, mufftXtQueryType) { return MUFFT_NOT_SUPPORTED; }
