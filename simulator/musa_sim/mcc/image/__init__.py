"""Link device images, and pack them for the program."""
