"""``python -m minbpe_course`` is the command ``minbpe-course``, for where the command is not on the PATH."""

import sys

from minbpe_course.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
