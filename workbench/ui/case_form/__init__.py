"""The form of a kernel's arguments, whose sliders lower the kernel anew as they move."""

from workbench.ui.case_form.form import CaseForm

__all__ = ["CaseForm"]
