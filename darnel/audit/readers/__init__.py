"""Where records come from: stores, and files."""
