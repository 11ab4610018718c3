"""The public functions and `ClassCounts`, the face of everything below."""
