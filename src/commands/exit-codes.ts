/** How a command ends, told to the shell. Documented in the help. */
export const exitCodes = { ok: 0, failure: 1, usage: 2 } as const;

export const exitCodesHelp = `
Exit codes:
  0  all went well
  1  the command failed (the port is taken, the storage does not answer, no such key, ...)
  2  the command line or the configuration is wrong
  130, 143  stopped at once by a second SIGINT or SIGTERM

Durations are a whole number and a unit: 30s, 15m, 12h, 30d.`;

/** A command that cannot do what was asked, in words for the person who asked. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failure) {
    super(message);
    this.exitCode = exitCode;
  }
}
