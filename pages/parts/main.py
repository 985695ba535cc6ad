"""What the server runs for each visit; see app.py."""

from pages.parts.shell import run

run()
