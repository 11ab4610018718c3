"""The class and the functions that users call on a collection or on its counts."""
