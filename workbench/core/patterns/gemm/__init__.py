"""The pattern of a matrix multiplication, C = A B: fields, rules, recommendations and program."""
