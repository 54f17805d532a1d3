"""Tests. Modules import each other as tests.<name>, so that each is loaded once."""
