#!/bin/sh
# sh build.sh BOT.cpp PROGRAM: compiles a program of 2010 together with the shim.
#
# First as C++98, which it was written in: newer standards have names of their own (std::move, std::array, std::data)
# that collide with it. What needs a newer language is compiled as C++17.
here=$(dirname "$0")
bot=$1
program=$2

compile() {
    # A file name that begins with a hyphen would be taken for an option.
    case $bot in -*) bot=./$bot ;; esac
    # The flags are several words.
    # shellcheck disable=SC2086
    "${CXX:-g++}" -std="$1" ${CXXFLAGS:--O2} -fpermissive -I"$here" -I"$here/compat" -I. \
        -o "$program" "$bot" "$here/shim.cpp" -pthread
}

for std in gnu++98 gnu++17; do
    if compile "$std" 2>"$program.$std.log"; then
        cat "$program.$std.log" >&2
        rm -f "$program".gnu++98.log "$program".gnu++17.log
        exit 0
    fi
done

# The standard that was meant has the fewer complaints.
if [ "$(wc -c <"$program.gnu++98.log")" -le "$(wc -c <"$program.gnu++17.log")" ]; then
    cat "$program.gnu++98.log" >&2
else
    cat "$program.gnu++17.log" >&2
fi
rm -f "$program".gnu++98.log "$program".gnu++17.log
exit 1
