"""The site's pages without our layers: an application for each framework, written as its users do.

Raced beside the engines (``races/layers.toml``) they show what the layers cost: same framework,
driver, requests, templates, cookie and headers, and nothing of ``handlers`` or of the stores in
between. They serve Index, Good and Ugly, to whom sends nothing odd. They run on CPython 3.7 too.
"""
