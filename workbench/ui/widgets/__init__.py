"""The widgets that every view is made of; they show what they are given and say what happened."""
