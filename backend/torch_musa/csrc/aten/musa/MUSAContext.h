#pragma once

#include "torch_musa/csrc/aten/musa/MUSAContextLight.h"

#include "torch_musa/csrc/aten/musa/Exceptions.h"
#include "torch_musa/csrc/core/MUSAEvent.h"
#include "torch_musa/csrc/core/MUSAGuard.h"

#include <ATen/Context.h>
