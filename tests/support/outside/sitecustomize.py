"""One entry in each registry: this folder is outside of the project, on PYTHONPATH alone."""

import sys
from dataclasses import replace

from data_interface import BACKENDS, Backend
from databases import DATABASES
from handlers import WEB, Web
from runtime.plugin import Plugin
from toolbench.drivers import DRIVERS

WEB["toyweb"] = Web("toy_web:serve")
BACKENDS["toydriver"] = Backend("toy_store:open_store", database="toybase", connections=("one",))
DATABASES["toybase"] = Plugin("toybase:DATABASE")
DRIVERS["toytool"] = replace(DRIVERS["asyncpg"], target="toy_tool:ToyTool", text="a toy")

if sys.version_info >= (3, 11) and "server.py" not in sys.argv[0]:
    from race.commands import COMMANDS
    from race.load import GENERATORS
    from race.machine.meters import METERS
    from race.report.chapters import CHAPTERS

    COMMANDS["toycommand"] = Plugin("toy_command:COMMAND")
    METERS["toymeter"] = Plugin("toy_meter:Ticks")
    CHAPTERS["toychapter"] = Plugin("toy_chapter:render")
    GENERATORS["toyload"] = Plugin("toy_load:ToyLoad")
