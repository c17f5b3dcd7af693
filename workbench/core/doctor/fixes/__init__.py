"""Makes the fixes of findings: the text edits that mend what any stage has found."""
