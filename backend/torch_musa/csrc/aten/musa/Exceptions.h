#pragma once

#include "torch_musa/csrc/core/MUSAException.h"

#include <ATen/Context.h>
#include <c10/macros/Export.h>
#include <mublas.h>
#include <musolver_common.h>
#include <musparse.h>

#define AT_MUSA_CHECK(EXPR) C10_MUSA_CHECK(EXPR)
