"""`python -m libriscribe2`."""

from libriscribe2.cli import main

main()
