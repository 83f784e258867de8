"""``python3 -m hakaru.own.setup`` makes the Python environment: the launcher calls it when it is not current."""

import sys

from hakaru.base.errors import UserError
from hakaru.own.setup.environment import ensure_environment
from hakaru.own.setup.targets import will_build


def main() -> int:
    try:
        ensure_environment(programs=will_build(sys.argv[1:]))
    except UserError as error:
        print(f"hakaru: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("hakaru: interrupted; the next start goes on from here", file=sys.stderr)
        return 130
    return 0


sys.exit(main())
