#pragma once

#include "MUSAContextLight.h"

#include "Exceptions.h"
#include "../../core/MUSAEvent.h"
#include "../../core/MUSAGuard.h"

#include <ATen/Context.h>
