"""Standard library only: lets the host find installed components."""


def install() -> None:
    """Install the post-import hook."""
