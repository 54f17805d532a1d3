"""Users and load shapes for Locust. Nothing here imports anything else of the project."""
