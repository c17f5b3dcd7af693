"""What is written of a kernel so that it can be used without the workbench."""
