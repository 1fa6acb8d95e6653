"""The command lines of the compilers, and the meaning of their output."""
