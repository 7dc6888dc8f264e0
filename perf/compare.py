#!/usr/bin/env python3
"""headwise beside the engines that people would pick instead: see --help and perf/README.md."""

import sys

from compare import cli

if __name__ == "__main__":
    sys.exit(cli.main())
