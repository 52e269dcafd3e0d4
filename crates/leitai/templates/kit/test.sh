#!/bin/sh
# The bot's test: an arena would accept it, and it wins a match, both seats, against the bot random.
leitai=${LEITAI:-leitai}
cd "$(dirname "$0")" || exit
"$leitai" check {where} . "$@" || exit
result=$("$leitai" match {where} . random --seed 1 --no-replay --json "$@") || exit
case $result in  # the last field is the match's winner
  *'"winner":"A"}') echo "it wins against random" ;;
  *) echo "it does not win: $leitai match {where} . random --seed 1"; exit 1 ;;
esac
