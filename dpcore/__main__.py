"""`python -m dpcore`."""

import sys

from dpcore.cli.main import main

sys.exit(main())
