"""The stickers of every database: 16,200 in 540 packs, the same on every machine."""

from __future__ import annotations

import random
from typing import List, Tuple

from data_interface.store import Pack, Sticker

SEED = 20170517
PACKS = 540
STICKERS = 16_200

_MOODS = """
Brave Calm Cheeky Cosy Curious Dizzy Dreamy Eager Fancy Fluffy Fuzzy Gentle Giddy Grumpy Happy
Jolly Lazy Lucky Merry Mighty Moody Nosy Odd Peppy Polite Proud Puzzled Quiet Shy Silly Sleepy
Sly Snappy Sunny Tiny Wild Wise Witty Zany Zesty
""".split()
_CREATURES = """
Axolotl Badger Bat Bear Beaver Bee Camel Cat Chick Cloud Crab Deer Dino Dodo Dragon Duck Fox
Frog Ghost Goat Hedgehog Koala Llama Lynx Mole Moose Moth Octopus Otter Owl Panda Penguin Pug
Python Rabbit Racoon Robot Sloth Snail Squid Toad Turtle Whale Wombat Yeti
""".split()
_PLACES = "Attic Bakery Bay Beach Camp City Club Desert Farm Forest Garden Harbour".split()


def catalogue() -> Tuple[List[Pack], List[Sticker]]:
    """Return all packs and all stickers, by id from 1. Votes are skewed as in real life."""
    source = random.Random(SEED)  # noqa: S311 every machine must draw the same
    packs = [Pack(i + 1, _pack_title(i)) for i in range(PACKS)]
    stickers = []
    for index in range(STICKERS):
        up, down = int(source.expovariate(1 / 12)), int(source.expovariate(1 / 12))
        title = f"{source.choice(_MOODS)} {source.choice(_CREATURES)}"
        pack = index * PACKS // STICKERS + 1
        stickers.append(Sticker(index + 1, pack, title, up - down, up, down))
    return packs, stickers


def _pack_title(index: int) -> str:
    """Return a title that occurs once: there are 45 creatures and 12 places for 540 packs."""
    creature = _CREATURES[index % len(_CREATURES)]
    return f"{creature} {_PLACES[index // len(_CREATURES)]}"
