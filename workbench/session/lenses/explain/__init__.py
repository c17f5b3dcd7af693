"""A kernel explained: one page of sentences, each of which says a fact that is known of it."""
