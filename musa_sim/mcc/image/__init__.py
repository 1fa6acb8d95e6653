"""Device images: linked, and packed for the program."""
