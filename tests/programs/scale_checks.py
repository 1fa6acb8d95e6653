"""Comparisons for projects of `scale` whose own tests need files that their repositories lack, or have none.

    python tests/programs/scale_checks.py NAME CHECKOUT     # in the build folder; 0 if the results agree

flip: the difference of two images by the device and by the CPU. GOMC: the energies of a Monte Carlo run of water by
both. rodinia_suite: the programs whose data are in its repository write the files that it keeps of NVIDIA's.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

_CONFIGURATION = """Restart false
PRNG INTSEED
Random_Seed 123
ParaTypeCHARMM true
Parameters {base}/GOMC_par_all36_prot.prm
Parameters {base}/GOMC_toppar_water_ions_namd.str
Coordinates 0 {base}/water_reservior_for_protein_cl_water_rev_1.pdb
Structure 0 {base}/water_reservior_for_protein_cl_water_rev_1.psf
Temperature 298
Potential SWITCH
Rswitch 10
LRC false
Rcut 12
RcutLow 1
Exclude 1-4
Ewald true
ElectroStatic true
CachedFourier false
Tolerance 0.00001
1-4scaling false
PressureCalc true 10
RunSteps 40
EqSteps 5
AdjSteps 5
DisFreq 0.3
RotFreq 0.3
RegrowthFreq 0.1
MultiParticleFreq 0.3
CellBasisVector1 0 30 0 0
CellBasisVector2 0 0 30 0
CellBasisVector3 0 0 0 30
CBMC_First 16
CBMC_Nth 8
CBMC_Ang 50
CBMC_Dih 50
OutputName OUT
RestartFreq False 1000
CheckpointFreq False 1000
CoordinatesFreq False 100
ConsoleFreq True 5
BlockAverageFreq False 10
OutEnergy true true
OutPressure true true
OutMolNum true true
OutDensity true true
"""
_RODINIA = {  # the arguments of each program's run.sh
    "backprop": "4194304",
    "bfs": "../../data/bfs/graph65536.txt",
    "gaussian": "-s 2048",
    "nw": "8192 10",
}


def flip(_: Path) -> bool:
    """Compare the error maps of a random image with noise."""
    numbers = random.Random(1)
    width, height = 120, 80
    image = [numbers.randrange(30, 226) for _ in range(3 * width * height)]
    for name, spread in (("reference", 0), ("test", 30)):
        pixels = bytes(value + numbers.randint(-spread, spread) for value in image)
        Path(f"{name}.ppm").write_bytes(b"P6 %d %d 255\n" % (width, height) + pixels)
        subprocess.run(["convert", f"{name}.ppm", f"{name}.png"], check=True)
    maps = []
    for program, name in (("./flip", "cpu"), ("./flip-cuda", "gpu")):
        subprocess.run([program, "--reference", "reference.png", "--test", "test.png", "-b", name], check=True)
        subprocess.run(["convert", f"{name}.png", f"{name}.ppm"], check=True)
        maps.append(Path(f"{name}.ppm").read_bytes())
    # a colour map: the next colour may differ by several steps
    apart = [abs(one - other) for one, other in zip(*maps)]
    return (
        len(set(map(len, maps))) == 1 and len(set(maps[0])) > 50 and max(apart) <= 8 and sum(apart) < 0.01 * len(apart)
    )


def gomc(checkout: Path) -> bool:
    """Compare what both programs print of energies and acceptance."""
    text = _CONFIGURATION.format(base=checkout / "test/input/Systems/BPTI_TIP3/Base")
    Path("in.conf").write_text(text, encoding="utf-8")
    lines = []
    for name in ("CPU", "GPU"):
        said = subprocess.run([f"./GOMC_{name}_NVT", "in.conf"], capture_output=True, text=True, check=True).stdout
        lines.append(re.findall(r"^(?:ENER|STAT|MTOT)_0:.*", said, re.MULTILINE))
    return lines[0] == lines[1] and len(lines[0]) > 15


def rodinia_suite(_: Path) -> bool:
    """Compare the files that the programs write with the kept ones."""
    same = True
    for name, arguments in _RODINIA.items():
        folder = Path("cuda", name)
        subprocess.run([f"./{name}", *arguments.split()], cwd=folder, stdout=subprocess.DEVNULL, check=True)
        same &= (folder / "result.txt").read_bytes() == (folder / "nat_result.txt").read_bytes()
    return same


CHECKS: dict[str, Callable[[Path], bool]] = {"flip": flip, "GOMC": gomc, "rodinia_suite": rodinia_suite}

if __name__ == "__main__":
    agree = CHECKS[sys.argv[1]](Path(sys.argv[2]))
    print("the results agree" if agree else "error: the results differ")
    sys.exit(not agree)
