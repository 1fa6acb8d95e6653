"""What compiled device code and libmusart rely on. libmusart's side is runtime/device_abi.h."""
