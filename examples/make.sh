#!/usr/bin/env bash
# Makes the sample books anew from their recordings: projects with EPUB, PDF and report.
set -euo pipefail
cd "$(dirname "$0")"
PATH="$PWD/../.venv/bin:$PATH"
LIBRISCRIBE2_PROJECTS_DIR=$PWD
LIBRISCRIBE2_DEBUG_DIR=$(mktemp -d)
export PATH LIBRISCRIBE2_PROJECTS_DIR LIBRISCRIBE2_DEBUG_DIR
recordings=../tests/recorded

book() { # name, recording
  rm -rf "$1"
  libriscribe2 --quiet create --model "recorded:$2" -p "$1" >/dev/null
  libriscribe2 --quiet export "$1" epub pdf >/dev/null
  libriscribe2 --quiet check "$1" --report >"$1/report.tsv"
  # What is made again where it is needed; the recording lies in tests/recorded.
  rm -f "$1"/recording.json "$1"/.libriscribe/{lock,sources.db} "$1"/.libriscribe/*.log
  rm -rf "$1"/.libriscribe/research
}

book the-marks-at-skarra ../src/libriscribe2/commands/samples/skarra.json.gz
book squeeze "$recordings/squeeze.json"
