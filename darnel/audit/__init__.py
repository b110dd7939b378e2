"""What is in this corpus that should not be: readers → detectors → findings."""
