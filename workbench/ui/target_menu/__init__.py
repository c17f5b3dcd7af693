"""The popup in which targets are ticked: several at once, grouped by vendor, found by typing."""

from workbench.ui.target_menu.choices import TargetChoice, target_choices
from workbench.ui.target_menu.menu import TargetMenu

__all__ = ["TargetChoice", "TargetMenu", "target_choices"]
