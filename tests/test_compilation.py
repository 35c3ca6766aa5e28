"""Loading the compiler: quickly, and without harm to whoever needs what was left out."""

from __future__ import annotations

import subprocess
import sys

SIMULATES = """
from tcpgoodput.simulator import simulation
simulation.compile_all()
"""
COMPILES_MATRICES = """
import numba
import numpy as np
print(numba.njit(lambda a: np.dot(a, a))(np.eye(2))[0, 0])
"""


def printed(code: str) -> str:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_a_simulation_loads_no_linear_algebra() -> None:
    assert printed(f"{SIMULATES}\nimport sys; print('scipy.linalg' in sys.modules)") == "False"


def test_linear_algebra_can_be_loaded_afterwards() -> None:
    code = f"{SIMULATES}\nimport numpy, scipy.linalg; print(scipy.linalg.det(numpy.eye(2)))"
    assert float(printed(code)) == 1


def test_who_has_loaded_linear_algebra_before_can_compile_it() -> None:
    assert float(printed(f"import scipy.linalg\n{SIMULATES}\n{COMPILES_MATRICES}")) == 1
