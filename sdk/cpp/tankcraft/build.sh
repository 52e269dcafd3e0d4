#!/bin/sh
# sh build.sh BOT.cpp PROGRAM: compiles a program of 2010 together with the shim.
#
# First as C++98, the language of its time: newer standards have names (std::move, std::array,
# std::data) that collide with names of the program. A program that needs a newer language is
# compiled as C++17 or C++20. Each standard is also tried without the headers that Tank.h includes,
# in case the program's names collide with those.
here=$(dirname "$0")
bot=$1
program=$2
log=$program.log
best=$program.best

# A file name that begins with a hyphen would be taken for an option.
case $bot in -*) bot=./$bot ;; esac

# compile STANDARD AND FLAGS
compile() {
    # The flags are several words.
    # shellcheck disable=SC2086
    set -- "${CXX:-g++}" -std=$1 ${CXXFLAGS:--O2} -fpermissive -I"$here" -I"$here/compat" -I. -pthread
    "$@" -c -o "$program.o" "$bot" && "$@" -o "$program" "$program.o" "$here/shim.cpp"
}

# hint PATTERN ENGLISH CHINESE: the advice for a message of the compiler.
hint() {
    if grep -q -E "$1" "$best"; then
        printf 'hint: %s\n提示：%s\n' "$2" "$3" >&2
    fi
}

# Variables declared in a for and used after it, as Visual C++ 6 allowed.
loop_names() {
    sed -n "s/.*error: .\([A-Za-z_][A-Za-z_0-9]*\). was not declared in this scope.*/\1/p" "$best" | sort -u |
        while read -r name; do
            if grep -q -E "for[[:space:]]*\([^;]*[[:space:]*,]$name[[:space:]]*=" "$bot"; then
                printf '%s ' "$name"
            fi
        done
}

hints() {
    hint '(windows|conio|process|direct|tchar|stdafx|afx[a-z]*|mmsystem)\.h: No such file' \
        'that header belongs to Windows and does not exist here: delete the line. Time is told by clock() of time.h; wait for no key, and sleep not at all' \
        '该头文件属于 Windows，此处没有：请删去这一行。计时请用 time.h 的 clock()；不要等待按键，也不要休眠'
    names=$(loop_names)
    if [ -n "$names" ]; then
        printf 'hint: %s\n提示：%s\n' \
            "a name declared in a for ends with the loop (Visual C++ 6 kept it): declare before the loop: $names" \
            "for 里声明的变量在循环结束后失效（Visual C++ 6 会保留）：请在循环之前声明：$names" >&2
    fi
    hint "::main. must return|multiple definition of .main'" \
        'the main() is in the shim: delete the one in the program' \
        'main() 由 shim 提供：请删去程序里的 main'
}

for way in gnu++98 'gnu++98 -DTANK_H_PLAIN' gnu++17 'gnu++17 -DTANK_H_PLAIN' gnu++20; do
    if compile "$way" 2>"$log"; then
        cat "$log" >&2
        rm -f "$log" "$best" "$program.o"
        exit 0
    fi
    # The standard with the fewest errors is the intended one.
    if [ ! -s "$best" ] || [ "$(wc -c <"$log")" -lt "$(wc -c <"$best")" ]; then
        cp "$log" "$best"
    fi
    # A missing file is missing in every standard.
    if grep -q 'fatal error: .*No such file' "$log" && [ "$way" != gnu++98 ]; then
        break
    fi
done
cat "$best" >&2
hints
rm -f "$log" "$best" "$program.o"
exit 1
