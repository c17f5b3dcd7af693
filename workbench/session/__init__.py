"""Qt-free controllers between the window or the command line and the workers."""
