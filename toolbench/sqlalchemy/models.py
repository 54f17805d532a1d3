"""The mapped classes: parents, and children that belong to them.

As in the article that the workload is from, the foreign key has no index: reads take longer as the
tables grow.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, MetaData, func
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from toolbench.sqlalchemy.workload import SCHEMA, SIZES


class ToolbenchBase(DeclarativeBase):
    """The base of both classes, in the toolbench's own schema."""

    metadata = MetaData(schema=SCHEMA)


class ParentRow(ToolbenchBase):
    """A row that children belong to."""

    __tablename__ = "parents"

    id: Mapped[int] = mapped_column(primary_key=True)
    data: Mapped[str | None]
    created: Mapped[datetime] = mapped_column(server_default=func.now())
    children: Mapped[list[ChildRow]] = relationship()


class ChildRow(ToolbenchBase):
    """A row that belongs to a parent."""

    __tablename__ = "children"

    id: Mapped[int] = mapped_column(primary_key=True)
    parent: Mapped[int] = mapped_column(ForeignKey(f"{SCHEMA}.parents.id"))
    data: Mapped[str | None]


def family(data: int) -> list[ParentRow]:
    """Return the parents that one write inserts, with their children."""
    return [
        ParentRow(data=str(data + place), children=[ChildRow() for _ in range(size)])
        for place, size in enumerate(SIZES, start=1)
    ]
