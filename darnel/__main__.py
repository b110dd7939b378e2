"""``python -m darnel``."""

from darnel.cli.main import main

main()
