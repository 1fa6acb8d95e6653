"""LLVM's IR as objects: a module, its functions, their blocks, the instructions.

Everything that knows how the IR is spelled stands here; the passes say what they do in these terms. A module is parsed
once, where it comes from clang, and printed once, where it goes there. What is read is kept as text beside what was
found out about it, so that whatever no pass changes is printed as it was. Objects do not change: a pass makes others.
Tested with the text of clang 19 and 22.

text          names, lists, brackets, strings; quotes
types         sizes and elements of types
instructions  what each kind of instruction says
blocks        basic blocks, edges, natural loops
function      definitions and declarations
parameters    parameters of functions and arguments of calls
pieces        global variables, aliases, groups of attributes
metadata      debug info
module        a module, and the modules that are made of it
"""
