"""One module or folder per store or framework; each imports its package only when it is used."""
