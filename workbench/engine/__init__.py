"""The only home of tilelang and torch: lowering, machine code, simulator, verification."""
