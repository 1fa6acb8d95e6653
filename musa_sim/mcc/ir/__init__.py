"""How LLVM's IR is spelled.

Everything that knows the look of the text stands here, as small functions and frozen records; the passes say what they
do in these terms. The IR is not parsed into a tree: edits are few, each is anchored to a construct that clang prints in
one way, and clang's verifier reads the result. Tested with the text of clang 19 and 22.

text            names, lists, brackets, strings
functions       definitions, declarations, calls
parameters      parameters of functions and arguments of calls
attributes      attributes of functions
variables       global variables, constants, named types
instructions    one line of a function at a time
memory          the instructions that read and write memory
casts           conversions of values
blocks, loops   basic blocks, edges, natural loops
metadata        attachments and debug info
annotations     __attribute__((annotate(...)))
split_coroutine what LLVM makes of a coroutine
"""
