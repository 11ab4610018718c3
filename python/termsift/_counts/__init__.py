"""The counts of a labelled collection: how they are made, added and saved."""
