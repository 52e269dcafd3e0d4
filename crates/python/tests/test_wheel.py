"""The wheel of a release brings the command `leitai`: deploy/release/add_command.py, with a small wheel and program."""

import subprocess
import sys
import zipfile
from pathlib import Path

ADD_COMMAND = Path(__file__).parents[3] / "deploy/release/add_command.py"


def make_wheel(folder: Path) -> Path:
    wheel = folder / "leitai-0.0.1-py3-none-any.whl"
    info = "leitai-0.0.1.dist-info"
    files = {
        "leitai_probe/__init__.py": "",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: leitai\nVersion: 0.0.1\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in {**files, f"{info}/RECORD": record}.items():
            archive.writestr(name, text)
    return wheel


def add_command(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ADD_COMMAND), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_is_installed_with_the_package(tmp_path: Path) -> None:
    program = tmp_path / "leitai"
    program.write_text("#!/bin/sh\necho leitai speaks: $1\n")
    (made := tmp_path / "made").mkdir()
    assert add_command(make_wheel(tmp_path), program, made).returncode == 0
    wheel = made / "leitai-0.0.1-py3-none-any.whl"
    prefix = tmp_path / "prefix"
    options = ["--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", "--prefix", str(prefix)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(wheel)], check=True)
    said = subprocess.run([prefix / "bin/leitai", "hello"], capture_output=True, text=True, check=True)
    assert said.stdout == "leitai speaks: hello\n"
    again = add_command(wheel, program, tmp_path)
    assert again.returncode != 0 and "has a command already" in again.stderr


def test_what_is_no_wheel_is_refused(tmp_path: Path) -> None:
    name = "leitai-0.0.1-py3-none-any.whl"
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        archive.writestr("x", "")
    (made := tmp_path / "made").mkdir()
    refused = add_command(tmp_path / name, ADD_COMMAND, made)
    assert refused.returncode != 0 and "is no wheel" in refused.stderr
