"""Are two results equal? Pure functions of CPU tensors: decision.py asks the questions, the others answer them."""
