#pragma once

// A program that includes this links muDNN itself (-lmudnn): this library does not call it.

#include "../../core/MUSAFunctions.h"
#include "../../core/MUSAStream.h"

#include <mudnn.h>

#include <map>

namespace at {

/// The handle of muDNN for the current device and stream, of the calling thread.
inline ::musa::dnn::Handle& GetMudnnHandle() {
  thread_local std::map<int, ::musa::dnn::Handle> handles;
  const int device = c10::musa::current_device();
  ::musa::dnn::Handle& handle = handles.try_emplace(device, device).first->second;
  handle.SetStream(c10::musa::getCurrentMUSAStream());
  return handle;
}

} // namespace at
