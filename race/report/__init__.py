"""Reports of a saved run: terminal, Markdown, and one self-contained HTML file."""
