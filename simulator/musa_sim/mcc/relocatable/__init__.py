"""Relocatable device code (-fgpu-rdc): what its objects hold, and the device link that makes one image of them."""
