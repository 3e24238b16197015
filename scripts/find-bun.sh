# Sets BUN to the Bun that npm installed beside this project. Newer npm does not run install scripts, so the binary may
# still stand in its platform package; both places are looked in, and a Bun on the PATH comes last.
# Expects ROOT, the project's folder.
for BUN in \
  "$ROOT/node_modules/bun/bin/bun.exe" \
  "$ROOT"/node_modules/@oven/bun-*/bin/bun \
  "$ROOT/../bun/bin/bun.exe" \
  "$ROOT"/../@oven/bun-*/bin/bun \
  "$(command -v bun 2>/dev/null)"; do
  # A placeholder of a few bytes stands there when the install script has not run.
  [ -x "$BUN" ] && [ "$(wc -c <"$BUN")" -gt 1000000 ] && break
  BUN=
done
if [ -z "$BUN" ]; then
  echo "tollgate: Bun was not found in $ROOT/node_modules. Run 'npm ci' in $ROOT first." >&2
  exit 127
fi
