"""One workload through SQLAlchemy's mapped classes, with four strategies."""
