#!/usr/bin/env bash
# Runs once, as root, when Gradescope builds the image of the autograder.
set -euo pipefail
root=$(cd "${AUTOGRADER_ROOT:-/autograder}" && pwd)

apt-get update
apt-get install -y --no-install-recommends python3 python3-venv bubblewrap
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
    echo "This autograder needs Python 3.10 or later: choose Ubuntu 22.04 or later as its base image." >&2
    exit 1
}
python3 -m venv "$root/python"
"$root/python/bin/pip" install --no-cache-dir NEEDS

# The seed, a teacher's checks, the course's answers and the results are root's alone; answers run as other users.
chmod -R go+rX "$root/source" "$root/python"
chmod 600 "$root/source/seed.txt"
for folder in teachers course/minbpe_course/learning/exercises; do
    if [ -d "$root/source/$folder" ]; then chmod -R go-rwx "$root/source/$folder"; fi
done
mkdir -p "$root/results"
chmod 700 "$root/results"
cd "$root/source/course"
PYTHONPATH="$root/source/course" "$root/python/bin/python" -m minbpe_course doctor || true
