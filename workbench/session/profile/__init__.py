"""What is shown of a profile: its sentence, its pictures and its numbers, as frozen objects."""
