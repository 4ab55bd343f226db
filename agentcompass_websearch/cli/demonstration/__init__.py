"""What the demo is made of: its arms, the two processes behind it, and the tables that it prints."""
