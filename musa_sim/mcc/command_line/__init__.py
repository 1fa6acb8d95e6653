"""mcc's command line, understood."""
