#!/usr/bin/env bash
# The step of action.yml: hold the tables named in $FILES, a line each, to the policy in $POLICY.
set -euo pipefail
command -v discretion >/dev/null || pip install --quiet "$(dirname "${BASH_SOURCE[0]}")/.."
files=()
while IFS= read -r file; do
    [ -z "$file" ] || files+=("$file")
done <<<"$FILES"
exec discretion check --policy "$POLICY" -- "${files[@]}"
