"""`python -m andante`."""

from andante.cli.main import main

main()
