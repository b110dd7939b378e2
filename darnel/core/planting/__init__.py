"""Plants go in, are seen, and come out again, with proof."""
