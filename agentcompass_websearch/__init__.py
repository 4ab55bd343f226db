"""Measure web search vendors in a coding-agent workflow, on the AgentCompass evaluation platform.

Imported at every interpreter start (by the seam), so it imports nothing itself.
"""

__version__ = "0.1.0"
