"""Convert PyTorch scripts from CUDA to MUSA: change the words that mean the device, and nothing else.

A file is read as bytes. If a word of CUDA's occurs in it (``candidates``), it is parsed, names are resolved
(``scopes``), and rules make edits of single words (``walker`` and the modules that it calls). ``tree``, ``files`` and
``output`` do so for a folder, and write all files or none. The package uses the standard library alone.
"""
