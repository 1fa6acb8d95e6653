"""Convert PyTorch scripts from CUDA to MUSA: change what means the device, and nothing else.

A file is read as bytes. If a word of CUDA's occurs in it (``candidates``), it is parsed, names are resolved
(``scopes``), and rules make edits of single words (``walker`` and what it calls). ``tree``, ``files`` and ``output`` do
so for a folder, and write all files or none. Nothing here imports torch, or anything beside the standard library.
"""
