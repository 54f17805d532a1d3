"""The operations of the limits: pages of one request each, and the interpreter alone."""

from __future__ import annotations

from race.discipline import Task

OPERATIONS = {
    "select-sync": Task(
        "Nine rows, blocking",
        pipelines=True,  # japronto aborts where requests queue behind one that waits
        text="Tarantool's blocking connector reads nine rows; nothing else runs meanwhile.",
    ),
    "select-async": Task(
        "Nine rows with an iterator",
        text="The asynchronous driver reads the nine rows with the best rating.",
    ),
    "select-async-lite": Task(
        "Nine rows without one", text="It reads any nine rows, the cheapest way there is."
    ),
    "upsert-async": Task("Upsert", text="It counts one more visit of a session."),
    "objects": Task(
        "A million result objects", text="The interpreter alone builds the objects of results."
    ),
}
