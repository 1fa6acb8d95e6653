"""The transformations of the device module, one per file, in the terms of `ir`.

None of them knows how the IR is spelled, and none runs a program; `device_image` has them in order.
"""
