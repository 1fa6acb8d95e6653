"""What a run of porting found, in the forms that people and tools read."""
