#!/usr/bin/env bash
# Fetches real source packages into the given folder, each in a folder of its own name.
set -euo pipefail
to=${1:?usage: fetch.sh FOLDER}
mkdir -p "$to"
to=$(cd "$to" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

got() { # NAME FOLDER
    rm -rf "${to:?}/$1"
    mv "$2" "$to/$1"
    echo "$1: $(find "$to/$1" -type f | wc -l) files"
}
missing() { echo "$1: can't be fetched here, left out" >&2; }

pip download -q --no-deps --no-binary :all: flask==3.1.3 >pip.log 2>&1 &&
    tar xzf flask-*.tar.gz && got flask flask-3.1.3 || missing flask
npm pack --silent express@5 >npm.log 2>&1 && tar xzf express-*.tgz && got express package || missing express
mkdir -p crate/src && : >crate/src/lib.rs &&
    printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[dependencies]\nripgrep = "=15.2.0"\n' >crate/Cargo.toml &&
    (cd crate && cargo vendor -q vendor >/dev/null 2>&1) && got ripgrep crate/vendor/ripgrep || missing ripgrep
apt-get download -q golang-github-gin-gonic-gin-dev >apt.log 2>&1 && dpkg -x golang-*.deb gin &&
    got gin gin/usr/share/gocode/src/github.com/gin-gonic/gin || missing gin
