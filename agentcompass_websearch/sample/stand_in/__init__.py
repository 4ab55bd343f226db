"""A scripted program in the place of a model: it searches, reads and patches by rules, and says that it does.

It sees requests and nothing else: no ticket, page or gold code of the sample is read by any module of this folder.
"""
