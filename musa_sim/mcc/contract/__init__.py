"""What code that mcc compiles and libmusart rely on: the other side is runtime/device_abi.h."""
