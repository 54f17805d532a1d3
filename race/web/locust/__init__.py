"""``make locust``: the site on an engine, Locust in front of it, and somebody who watches both."""
