"""What kind of wrong an output is: detectors over plain arrays, and the table that names them."""

from workbench.core.verification.detectors import DETECTORS, signatures_of
from workbench.core.verification.observation import Observation, Operand

__all__ = ["DETECTORS", "Observation", "Operand", "signatures_of"]
