"""Charts in the window: what paints a scene, and what answers the pointer and the keys."""
