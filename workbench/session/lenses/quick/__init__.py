"""What the source alone tells of changed arguments, at once, until lowering has followed."""
