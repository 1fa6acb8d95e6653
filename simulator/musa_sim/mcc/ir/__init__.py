"""LLVM's IR as objects: a module, its functions, their blocks, the instructions.

All code that knows how the IR is spelled is here; the passes work in these terms. A module is parsed once, where it
comes from clang, and printed once, where it goes there. The text is kept beside the facts read from it, so that all
parts that no pass changes are printed as they were. Objects do not change: a pass makes others.
Tested with the text of clang 19 and 22.

text          names, lists, brackets, strings; quotes
types         sizes and elements of types; parameters of functions and arguments of calls
instructions  what each kind of instruction says
blocks        basic blocks, edges, natural loops
function      definitions and declarations
pieces        global variables, aliases, groups of attributes
metadata      debug info
module        a module, and the modules that are made of it
"""
