"""One file a fault; each has a ``FAULT`` that ``chaos.FAULTS`` names."""
