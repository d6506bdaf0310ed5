"""Fetches the packages of packages.toml into a folder, each below its own name.

    python3 fetch.py FOLDER [NAME…]

A package that is there already is left alone; one that can't be had is named and left out.
"""

import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib

HERE = pathlib.Path(__file__).parent


def packages():
    """All packages, as dictionaries with at least name, registry and language."""
    return tomllib.loads((HERE / "packages.toml").read_text())["package"]


def folder_name(package):
    """The folder of a package: its name without what no folder's name has."""
    return package["name"].lstrip("@").replace("/", "-")


def run(command, cwd):
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def unpacked(archive, scratch):
    with tarfile.open(archive) as tar:
        tar.extractall(scratch / "unpacked", filter="data")
    (only,) = (scratch / "unpacked").iterdir()
    return only


def pypi(package, scratch):
    wanted = f"{package['name']}=={package['version']}"
    run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", wanted], scratch)
    return unpacked(next(scratch.glob("*.tar.gz")), scratch)


def npm(package, scratch):
    run(["npm", "pack", "--silent", f"{package['name']}@{package['version']}"], scratch)
    return unpacked(next(scratch.glob("*.tgz")), scratch)


def cargo(package, scratch):
    crate = scratch / "crate"
    (crate / "src").mkdir(parents=True)
    (crate / "src/lib.rs").touch()
    name, version = package["name"], package["version"]
    (crate / "Cargo.toml").write_text(
        f'[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n'
        f'[dependencies]\n{name} = "={version}"\n'
    )
    run(["cargo", "vendor", "-q", "vendor"], crate)
    return crate / "vendor" / name


def debian(package, scratch):
    run(["apt-get", "download", "-q", package["debian"]], scratch)
    run(["dpkg", "-x", next(scratch.glob("*.deb")), "tree"], scratch)
    return scratch / "tree" / package["folder"]


REGISTRIES = {"pypi": pypi, "npm": npm, "cargo": cargo, "debian": debian}


def fetch(package, to):
    """Fetches one package; its folder, or none."""
    place = to / folder_name(package)
    if place.exists():
        return place
    with tempfile.TemporaryDirectory() as scratch:
        try:
            found = REGISTRIES[package["registry"]](package, pathlib.Path(scratch))
        except (subprocess.CalledProcessError, OSError, StopIteration) as error:
            print(f"{package['name']}: can't be fetched here, left out ({error})", file=sys.stderr)
            return None
        shutil.copytree(found, place, symlinks=True)
    return place


def main():
    to = pathlib.Path(sys.argv[1])
    to.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[2:]
    for package in packages():
        if not wanted or package["name"] in wanted:
            place = fetch(package, to)
            if place:
                print(f"{package['name']}: {sum(1 for path in place.rglob('*') if path.is_file())} files")


if __name__ == "__main__":
    main()
