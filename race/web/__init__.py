"""The discipline of the sticker site: engines, pages and HTTP load."""
