"""The detectors inside frameworks, one module each; a module imports its framework, and nothing of darnel imports the module."""
