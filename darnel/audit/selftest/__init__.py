"""What the detectors would find of the pattern library on a corpus, tried on a sample of it in memory."""
