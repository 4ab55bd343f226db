"""The pages that people read: one self-contained file for the board, and audit pages beside it."""
