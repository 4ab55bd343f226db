"""Search vendors: what one is, how it is asked, what its failures mean, and the transport that all of them share."""
