"""What users see of a page: its forms, and what is wrong with it. Without Locust."""
