"""How a page becomes HTML: a level of the factor ``render``, whatever the web framework.

``RENDERERS`` is the registry, plainest first: another way is one module and one line here. A target
is called with the engine's name and the version of Python, and keeps to ``renderer.Renderer``. All
of them give the same bytes.
"""

from runtime.plugin import Plugin

RENDERERS = {
    "jinja": Plugin("handlers.render.jinja:JinjaRenderer", needs=("jinja2",)),
    "prepared": Plugin("handlers.render.prepared:PreparedRenderer", needs=("jinja2",)),
}
