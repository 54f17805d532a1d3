"""One workload through SQLAlchemy's mapped classes, put to the database in four ways."""
