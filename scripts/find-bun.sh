# Sets BUN to the Bun that npm installed for this project. Newer npm does not run install scripts, so the binary may still
# be in its platform package; both places are searched, and a Bun on the PATH comes last.
# Expects ROOT, the project's directory.
for BUN in \
  "$ROOT/node_modules/bun/bin/bun.exe" \
  "$ROOT"/node_modules/@oven/bun-*/bin/bun \
  "$ROOT/../bun/bin/bun.exe" \
  "$ROOT"/../@oven/bun-*/bin/bun \
  "$(command -v bun 2>/dev/null)"; do
  # The file is a placeholder of a few bytes if the install script has not run.
  [ -x "$BUN" ] && [ "$(wc -c <"$BUN")" -gt 1000000 ] && break
  BUN=
done
if [ -z "$BUN" ]; then
  echo "tollgate: Bun was not found in $ROOT/node_modules. Run 'npm ci' in $ROOT first." >&2
  exit 127
fi
