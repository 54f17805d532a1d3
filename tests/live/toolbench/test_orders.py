"""The table of orders, which is the same on every machine."""

from __future__ import annotations

import hashlib

from toolbench.mysql import table


def test_the_orders_are_the_same_everywhere() -> None:
    found = repr([tuple(one) for one in table.orders()])
    assert hashlib.sha256(found.encode()).hexdigest().startswith("0398bf201a3971c0")


def test_the_orders_are_like_a_shop_s() -> None:
    """Some of what may be missing is; a customer has some fifty of them."""
    found = table.orders()
    assert len(found) == table.ORDERS
    for name in ("packed", "wanted", "note"):
        missing = sum(getattr(one, name) is None for one in found)
        assert 0.05 < missing / len(found) < 0.25, name
    assert 20 < sum(one.customer == 77 for one in found) < 90
    assert max(len(one.note or "") for one in found) > 150
