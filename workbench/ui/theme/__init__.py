"""How everything looks: tokens, fonts, icons, and their way into Qt's palette and style sheet."""
