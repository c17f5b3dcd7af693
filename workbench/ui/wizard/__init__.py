"""The page on which a kernel is made from a pattern: steps, fields, what they cost, the code."""
