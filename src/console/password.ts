import { GatewayError, invalidParameter } from "../errors.ts";
import { createSemaphore } from "../upstream/semaphore.ts";

export const minPasswordLength = 12;
export const maxPasswordLength = 128;

/** 19 MiB and two passes, as OWASP has it for Argon2id: some 30 ms on a thread of Bun's, beside the event loop. */
const rules = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** Passwords that are hashed at once, and that wait: each takes memory and a core, which requests need too. */
const hashing = createSemaphore(2, 32);

export function hashPassword(password: string): Promise<string> {
  return hashing.run(() => Bun.password.hash(password, rules));
}

export function verifyPassword({ hash, password }: { hash: string; password: string }): Promise<boolean> {
  return hashing.run(() => Bun.password.verify(password, hash));
}

/** @throws 400 naming the field */
export function checkNewPassword(password: string, field: string): void {
  if (password.length >= minPasswordLength && password.length <= maxPasswordLength) return;
  throw invalidParameter(field, `${minPasswordLength} to ${maxPasswordLength} characters`);
}

export function wrongPassword(): GatewayError {
  return GatewayError.of("sign_in_failed", "The email address or the password is wrong.");
}
