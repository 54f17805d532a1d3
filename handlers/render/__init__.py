"""The ways to make HTML of a page: the levels of the factor ``render``.

``RENDERERS`` is the registry, plainest first; another way is one module and one line here. A target
is called with the engine's name and the version of Python, and implements ``renderer.Renderer``.
All of them give the same bytes.
"""

from runtime.plugin import Plugin

RENDERERS = {
    "jinja": Plugin("handlers.render.jinja:JinjaRenderer", needs=("jinja2",)),
    "minijinja": Plugin(
        "handlers.render.minijinja:MinijinjaRenderer",
        needs=("minijinja", "jinja2"),
        python="3.10+",
    ),
    "prepared": Plugin("handlers.render.prepared:PreparedRenderer", needs=("jinja2",)),
}
