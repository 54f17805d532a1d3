"""Results on disk: their records, reader and writer."""
