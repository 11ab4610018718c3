"""The counts of a labelled collection: the table, its sums and its file."""
