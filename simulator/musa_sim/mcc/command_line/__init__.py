"""mcc's command line: its flags, and the invocation that they describe."""
