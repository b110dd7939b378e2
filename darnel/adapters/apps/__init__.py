"""What all unmodified applications share, whatever they are built with: how they are asked, watched and walked."""
