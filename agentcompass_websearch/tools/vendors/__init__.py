"""The vendors of this package, one file a family; each is found by its entry point."""
