"""What calls took, kept cell by cell, and how far predictions are off: what the core's table of accuracy is made of."""
