"""The command lines of the compilers, and what their output says. Pure, but for launchers that are looked up."""
