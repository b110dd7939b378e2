"""Mode A from end to end, and the smaller things a run consists of."""
