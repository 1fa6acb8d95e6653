#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

// Frequency encoding, the input layer of neural fields. For each input x and each k < degree:
//
//     outputs = [x, sin(2^0 x), cos(2^0 x), sin(2^1 x), cos(2^1 x), ...]
//
// inputs:  (rows, dim), contiguous, on the GPU, of type float16, float32 or float64.
// returns: (rows, dim * (1 + 2 * degree)), of the same type. Each bracket entry above is a block of `dim` columns.
// float16 is computed in float32.
at::Tensor encode(const at::Tensor& inputs, int64_t degree);

// The gradient with respect to `inputs`, (rows, dim), given the gradient with respect to what `encode` returned.
at::Tensor encode_backward(const at::Tensor& grad_outputs, const at::Tensor& inputs, int64_t degree);
