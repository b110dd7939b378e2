"""Questions are asked, and what came back is matched with the plants."""
