const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const maxMs = 3_650 * unitMs.d;

/** Describes a valid duration. */
export const allowedDuration = "a duration such as 30s, 15m, 12h or 30d (at most 3650d)";

/** Parses `30s`, `15m`, `12h` or `30d` to milliseconds; null if it is invalid or too long. */
export function parseDuration(text: string): number | null {
  const parts = /^(\d{1,9})([smhd])$/.exec(text);
  if (parts === null) return null;
  // The pattern allows only these four letters.
  const milliseconds = Number(parts[1]) * unitMs[parts[2] as keyof typeof unitMs];
  return milliseconds <= maxMs ? milliseconds : null;
}
