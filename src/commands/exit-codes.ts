/** Exit codes, documented in the help. */
export const exitCodes = { ok: 0, failure: 1, usage: 2 } as const;

export const exitCodesHelp = `
Exit codes:
  0  success
  1  the command failed (the port is in use, the storage is unavailable, unknown key, ...)
  2  invalid command line or configuration
  130, 143  stopped immediately by a second SIGINT or SIGTERM

Durations are a whole number and a unit: 30s, 15m, 12h, 30d.`;

/** The failure of a command, with a message for the user. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failure) {
    super(message);
    this.exitCode = exitCode;
  }
}
