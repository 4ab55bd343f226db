"""Cuts child processes of the tests off from the network: Python imports this at start-up from PYTHONPATH."""

import loopback_only

loopback_only.install()
