/** An error, independent of a vendor's format. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly code: string | null;
  readonly param: string | null;
}

/** Thrown if the sandbox rejects a request like its vendor. */
export class Refusal extends Error {
  readonly failure: Failure;

  constructor(status: number, message: string, details: { code?: string | null; param?: string | null } = {}) {
    super(message);
    this.name = "Refusal";
    this.failure = { status, message, code: details.code ?? null, param: details.param ?? null };
  }
}
