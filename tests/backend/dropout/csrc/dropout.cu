// Dropout as extensions write it for CUDA: a generator of PyTorch's, and Philox numbers drawn in the kernel.
// Every thread has the Philox subsequence of its number; each of its rounds uses one block, for four elements in a row.
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraphsUtils.cuh>
#include <ATen/cuda/PhiloxUtils.cuh>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAGuard.h>
#include <curand_kernel.h>
#include <torch/library.h>

#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

namespace {

constexpr int kBlocks = 3;
constexpr int kThreads = 96;
constexpr int64_t kPerRound = int64_t{4} * kBlocks * kThreads;

template <typename Use>
__device__ void draw(int64_t size, at::PhiloxCudaState philox, const Use& use) {
    const auto [seed, offset] = at::cuda::philox::unpack(philox);
    const int64_t thread = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, thread, offset, &state);
    for (int64_t first = thread * 4; first < size; first += kPerRound) {
        const float4 numbers = curand_uniform4(&state);
        const float four[] = {numbers.x, numbers.y, numbers.z, numbers.w};
        for (int i = 0; i < 4 && first + i < size; ++i) {
            use(first + i, four[i]);
        }
    }
}

__global__ void dropout_kernel(
    const float* x, float* y, bool* mask, int64_t size, float keep, at::PhiloxCudaState philox) {
    const float scale = keep == 0 ? 0 : 1 / keep;
    draw(size, philox, [=](int64_t i, float number) {
        mask[i] = number <= keep;  // numbers are in (0, 1]
        y[i] = mask[i] ? x[i] * scale : 0;
    });
}

__global__ void uniform_kernel(float* y, int64_t size, at::PhiloxCudaState philox) {
    draw(size, philox, [=](int64_t i, float number) { y[i] = number; });
}

uint64_t drawn_by_a_thread(int64_t size) {
    return (size + kPerRound - 1) / kPerRound * 4;
}

at::CUDAGeneratorImpl* generator_of(const std::optional<at::Generator>& given) {
    return at::get_generator_or_default<at::CUDAGeneratorImpl>(given, at::cuda::detail::getDefaultCUDAGenerator());
}

std::tuple<at::Tensor, at::Tensor> dropout(const at::Tensor& x, double p, std::optional<at::Generator> generator) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == at::kFloat);
    const at::cuda::CUDAGuard guard(x.device());
    at::cuda::assertNotCapturing("dropout");
    at::Tensor y = at::empty_like(x);
    at::Tensor mask = at::empty_like(x, x.options().dtype(at::kBool));
    auto* gen = generator_of(generator);
    at::PhiloxCudaState philox;
    {
        std::lock_guard<std::mutex> lock(gen->mutex_);
        philox = gen->philox_cuda_state(drawn_by_a_thread(x.numel()));
    }
    TORCH_CHECK(!philox.captured_);
    dropout_kernel<<<kBlocks, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), mask.data_ptr<bool>(), x.numel(), static_cast<float>(1 - p), philox);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {y, mask};
}

at::Tensor uniform_of(int64_t size, at::PhiloxCudaState philox) {
    at::Tensor y = at::empty({size}, at::TensorOptions().device(at::kCUDA).dtype(at::kFloat));
    uniform_kernel<<<kBlocks, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(y.data_ptr<float>(), size, philox);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}

// As extensions wrote it before PhiloxCudaState. `increment`: how many numbers a thread draws, as the generator gets it.
at::Tensor uniform(int64_t size, int64_t increment, std::optional<at::Generator> generator) {
    auto* gen = generator_of(generator);
    std::pair<uint64_t, uint64_t> seeds;
    {
        std::lock_guard<std::mutex> lock(gen->mutex_);
        seeds = gen->philox_engine_inputs(increment);
    }
    return uniform_of(size, at::PhiloxCudaState(seeds.first, seeds.second));
}

// The state that a captured graph gives its kernels: the seed and the offset are in device memory.
at::Tensor uniform_captured(int64_t size, const at::Tensor& seed_and_offset, int64_t further) {
    int64_t* words = seed_and_offset.data_ptr<int64_t>();
    return uniform_of(size, at::PhiloxCudaState(words, words + 1, further));
}

}  // namespace

TORCH_LIBRARY(musa_dropout, m) {
    m.def("dropout(Tensor x, float p, Generator? generator=None) -> (Tensor, Tensor)", &dropout);
    m.def("uniform(int size, int increment, Generator? generator=None) -> Tensor", &uniform);
    m.def("uniform_captured(int size, Tensor seed_and_offset, int further) -> Tensor", &uniform_captured);
}
