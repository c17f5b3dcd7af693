"""Portability: on which targets a kernel can run, and what stands in the way on the others."""
