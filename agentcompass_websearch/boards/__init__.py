"""Boards: finished runs in, statistics, tables, charts and audit pages out.

Needs the extra ``report`` (numpy, scipy, altair, vl-convert-python); nothing else in the package imports those.
"""
