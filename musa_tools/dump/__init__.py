"""Write down what a run computes: which functions and modules were called, with what, and what came out."""
