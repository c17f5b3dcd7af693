"""What the lenses draw: pure functions from analyses to frozen pictures, one file each."""
