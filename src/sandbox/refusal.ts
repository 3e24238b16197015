/** Facts of an error, before a vendor's envelope. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly code: string | null;
  readonly param: string | null;
}

/** Thrown where the sandbox refuses a request as its vendor would. */
export class Refusal extends Error {
  readonly failure: Failure;

  constructor(status: number, message: string, details: { code?: string | null; param?: string | null } = {}) {
    super(message);
    this.name = "Refusal";
    this.failure = { status, message, code: details.code ?? null, param: details.param ?? null };
  }
}
