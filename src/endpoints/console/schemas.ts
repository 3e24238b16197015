import { z } from "zod";
import { roles } from "../../console/user.ts";

const expectedEmail = "an email address";
/** In the form in which it is stored and compared. */
const email = z
  .string({ error: expectedEmail })
  .trim()
  .toLowerCase()
  .max(254, { error: expectedEmail })
  .pipe(z.email({ error: expectedEmail }));

const expectedName = "1 to 200 characters";
const name = z
  .string({ error: expectedName })
  .trim()
  .regex(/^[^\p{C}]{1,200}$/u, { error: expectedName });

const role = z.enum(roles, { error: `one of ${roles.join(", ")}` });
const accountId = z.string({ error: "the id of an account" }).min(1, { error: "the id of an account" });
const token = z.string({ error: "the token of a link" }).max(256, { error: "the token of a link" });
const password = z.string({ error: "a password" }).max(1_024, { error: "a password" });

/** The body of an invitation. */
export const invitationInput = z.strictObject({ email, name, role, account_id: accountId.nullish() });

/** What becomes of the admin keys of a user who loses the admin API. */
const adminKeys = z.enum(["disable", "keep"], { error: "disable or keep" });

/** The query of a removal. */
export const removalQuery = z.strictObject({ admin_keys: adminKeys.optional() });

/** What changes of a user; what is absent stays. */
export const userChangeInput = z.strictObject({
  admin_keys: adminKeys.optional(),
  name: name.optional(),
  role: role.optional(),
  account_id: accountId.nullish(),
});

export const linkInput = z.strictObject({ token });

/** What the user of a link says: the link has the rest. */
export const redemptionInput = z.strictObject({ token, name: name.optional(), email: email.optional(), password });

export const passwordSignInInput = z.strictObject({ email, password });

export const passwordChangeInput = z.strictObject({ currentPassword: password, newPassword: password });

export const oidcSignInInput = z.strictObject({
  provider: z.literal("oidc", { error: "oidc" }).optional(),
  callbackURL: z.string({ error: "a path of the console" }).optional(),
});

const response = z.looseObject({ id: z.string({ error: "the id of a credential" }) }, { error: "a credential" });

export const passkeySignInInput = z.strictObject({ response });
export const passkeyInput = z.strictObject({ response, name: name.optional() });
export const passkeyIdInput = z.strictObject({ id: z.string({ error: "the id of a passkey" }) });
export const passkeyNameInput = z.strictObject({ id: z.string({ error: "the id of a passkey" }), name });
