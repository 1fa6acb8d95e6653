"""Relocatable device code (-fgpu-rdc): the record in its objects, and the device link that makes one image of them."""
