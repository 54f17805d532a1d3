"""`make locust`: the site on an engine, Locust in front of it, and samples of both."""
