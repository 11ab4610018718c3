"""Selection of terms one after the other."""
