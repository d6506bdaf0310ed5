#!/bin/sh
# Makes the certificates of the tests' encrypted server: a root, and a leaf for api.example.com.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"; }
new_key "$work/root-key.pem"
openssl req -x509 -new -key "$work/root-key.pem" -days 36500 -subj "/CN=Tests of Ringfence" \
  -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign" -out root.pem
new_key leaf-key.pem
openssl req -new -key leaf-key.pem -subj "/CN=api.example.com" -out "$work/leaf.csr"
printf 'subjectAltName=DNS:api.example.com\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n' >"$work/leaf.ext"
openssl x509 -req -in "$work/leaf.csr" -CA root.pem -CAkey "$work/root-key.pem" -CAcreateserial -days 36500 \
  -extfile "$work/leaf.ext" -out leaf.pem
rm -f root.srl
