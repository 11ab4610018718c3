"""The counts of a labelled collection: how they add up, and their file."""
