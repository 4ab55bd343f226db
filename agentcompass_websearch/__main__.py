"""``python -m agentcompass_websearch``: the command line, where its script is not on the path."""

from agentcompass_websearch.cli import main

raise SystemExit(main())
