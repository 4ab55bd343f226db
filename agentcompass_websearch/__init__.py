"""Measure web search vendors in a coding-agent workflow, on the AgentCompass evaluation platform.

Imported whenever the host is (by the seam), so it imports nothing itself.
"""

__version__ = "0.1.0"
