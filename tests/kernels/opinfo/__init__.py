"""PyTorch's operator database on the musa device, against the CPU.

*__main__* is the command, *workers* runs it in processes of their own, *examine* judges one operator and type, *moving*
copies arguments to the device, *tolerances* says how far results may be apart, *randomness* compares distributions.
"""
