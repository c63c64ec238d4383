"""``python -m vlawe.cli`` is the command ``vlawe``."""

from vlawe.cli import main

if __name__ == "__main__":
    main()
