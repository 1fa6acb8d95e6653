"""LLVM's IR as objects: a module, its functions, their blocks, the instructions.

Only this package knows the syntax of the IR; the passes use its objects. A module is parsed once, when it comes from
clang, and printed once, when it goes back. An object keeps its text beside the facts read from it, so parts that no
pass changes are printed as they were. Objects never change: a pass makes new ones. Tested with the text of clang 19 and
22.

text          names, lists, brackets, strings; quotes
types         sizes and elements of types; parameters of functions and arguments of calls
instructions  what each kind of instruction says
blocks        basic blocks, edges, natural loops
function      definitions and declarations
pieces        global variables, aliases, groups of attributes
metadata      debug info
module        a module, and the modules that are made of it
"""
