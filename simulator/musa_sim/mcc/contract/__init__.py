"""What compiled device code and libmusart rely on. libmusart's side is runtime/base/device_abi.h."""
