"""The transformations of the device module, one per module.

They describe what they do in the terms of `ir`, which alone knows how LLVM writes its IR. None runs a program.
`device_image` runs them in order.
"""
