import { invalidParameter } from "../../errors.ts";

/** `unlimited`: everything is recorded, nothing is refused. `prepaid`: a request is refused if its hold does not fit. */
export type AccountMode = "unlimited" | "prepaid";

/** The owner of keys and of a balance. It never changes once it is created. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly mode: AccountMode;
  /** Added to every charge, in hundredths of a percent; from -10,000 (nothing is charged) up. */
  readonly markupBasisPoints: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The highest amount of one credit or debit, and of a hold: a billion USD. Nine of them stay below 2^53; a balance beyond that is refused. */
export const maxAmountMicrousd = 1_000_000_000_000_000;

/** A markup of 10,000 percent. */
const maxMarkupBasisPoints = 1_000_000;

/** Whether a text can be the id of an account. */
export function isAccountId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);
}

/** Throws a 400 that names the field if the account cannot be created as it is. */
export function checkAccount({ id, name, markupBasisPoints }: Account): void {
  if (!isAccountId(id)) {
    throw invalidParameter(
      "id",
      "1 to 64 letters, digits, dots, dashes and underscores, the first a letter or a digit",
    );
  }
  if (name.trim() === "" || name.length > 200 || /\p{C}/u.test(name)) {
    throw invalidParameter("name", "1 to 200 characters without control characters");
  }
  if (!(Number.isInteger(markupBasisPoints) && markupBasisPoints >= -10_000)) {
    throw invalidParameter("markup_percent", "a number from -100 up with at most 2 decimals");
  }
  if (markupBasisPoints > maxMarkupBasisPoints) {
    throw invalidParameter("markup_percent", `a number of at most ${maxMarkupBasisPoints / 100}`);
  }
}
