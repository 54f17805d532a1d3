"""The site's pages without our layers: an application for each framework, written as its users do.

Raced beside the engines (`races/layers.toml`), they show what the layers cost: the same framework,
driver, requests, templates, cookie and headers, without `handlers` and the stores. They serve
Index, Good and Ugly to clients that send nothing odd. Those with a server of their own run on
CPython 3.7 too. `with_asgi`, `with_rsgi` and `with_wsgi` have the frameworks that need a server
(`races/adapters.toml`, `races/adapters-wsgi.toml`).

`with_flask` has the reports, on drivers that block (`races/pool-shape-flask.toml`).
`slowed_server` is the site's own server, made slower by a known share.
"""
