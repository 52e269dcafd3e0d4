#!/bin/sh
# Builds the game, checks its rules and plays the first bot.
set -e
leitai=${LEITAI:-leitai}
cd "$(dirname "$0")"
"$leitai" game build .
"$leitai" game check . "$@"
"$leitai" match . bots/first.py random --no-replay
