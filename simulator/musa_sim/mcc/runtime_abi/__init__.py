"""The ABI between compiled device code and libmusart. libmusart's side is runtime/base/device_abi.h."""
