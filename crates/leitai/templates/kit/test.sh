#!/bin/sh
# The bot's test: an arena would accept it, and it wins both seats against the bot random.
leitai=${LEITAI:-leitai}
cd "$(dirname "$0")" || exit
"$leitai" check {game} . "$@" || exit
result=$("$leitai" match {game} . random --seed 1 --no-replay --json "$@") || exit
case $(echo "$result" | grep -c '"winner": *"A"') in
  0) echo "it does not win: $leitai match {game} . random --seed 1"; exit 1 ;;
  *) echo "it wins against random" ;;
esac
