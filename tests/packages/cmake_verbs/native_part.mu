int number() { return 3; }
