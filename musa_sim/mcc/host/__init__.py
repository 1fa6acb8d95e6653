"""What is read from the host module, and what is put into it."""
