"""Claims of documents and articles, recomputed from saved races."""
