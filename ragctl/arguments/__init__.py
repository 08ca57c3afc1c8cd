"""What people type on the command line, parsed."""
