#!/usr/bin/env bash
# Runs for each submission. For a trial elsewhere: AUTOGRADER_ROOT, and AUTOGRADER_PYTHON for the interpreter.
root=$(cd "${AUTOGRADER_ROOT:-/autograder}" && pwd) || exit 1
umask 077
mkdir -p "$root/results"
chmod 600 "$root/source/seed.txt"
for folder in teachers course/minbpe_course/learning/exercises; do
    if [ -d "$root/source/$folder" ]; then chmod -R go-rwx "$root/source/$folder"; fi
done
chmod 700 "$root/results"
# With -m, Python looks for modules in the current folder first.
cd "$root/source/course" || exit 1
export PYTHONPATH="$root/source/course"
exec "${AUTOGRADER_PYTHON:-$root/python/bin/python}" -m minbpe_course gradescope --run-in "$root"
