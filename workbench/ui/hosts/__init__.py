"""The dialog of hosts: their list, the form of one, and the report of its test."""

from workbench.ui.hosts.dialog import HostsDialog

__all__ = ["HostsDialog"]
