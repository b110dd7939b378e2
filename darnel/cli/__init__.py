"""click commands, thin: parse, call, print."""
