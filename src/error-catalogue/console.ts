import type { ErrorGroup } from "./error-group.ts";

/** What only the console and requests with its sessions see. */
export const consoleErrors = {
  not_signed_in: {
    status: 401,
    type: "authentication_error",
    message: "Sign in to the console.",
    when: "A path of the console is asked without a session, or the session has ended.",
  },
  sign_in_failed: {
    status: 401,
    type: "authentication_error",
    message: "The email address or the password is wrong.",
    when: "A sign-in to the console with a wrong password, passkey or email address.",
  },
  too_many_sign_ins: {
    status: 429,
    type: "rate_limit_exceeded",
    message: "Too many attempts to sign in. Try again in {} s.",
    when: "Too many sign-ins to the console failed for this email address, or from this address.",
  },
  csrf_check_failed: {
    status: 403,
    type: "permission_error",
    message: "This request does not come from the console: {}.",
    when: "A request with a session of the console comes from another site, or lacks the header `X-Console-CSRF`.",
  },
  role_not_allowed: {
    status: 403,
    type: "permission_error",
    message: "This needs the role {}.",
    when: "A user of the console asks for what its role may not do.",
  },
  link_not_valid: {
    status: 404,
    type: "not_found_error",
    message: "This link is not valid: it has been used, has expired, or was replaced by a newer one.",
    when: "A set-up link, an invitation or a reset link of the console cannot be used.",
  },
  user_not_found: {
    status: 404,
    type: "not_found_error",
    message: "There is no user with this id.",
    when: "There is no user of the console with this id.",
  },
  session_not_found: {
    status: 404,
    type: "not_found_error",
    message: "There is no session with this id.",
    when: "There is no session of the console with this id, or it is another user's.",
  },
  user_exists: {
    status: 409,
    type: "conflict_error",
    message: "There is a user with this email address already.",
    when: "A user of the console is invited, or made, with the email address of another one.",
  },
  last_owner: {
    status: 409,
    type: "conflict_error",
    message: "The last owner cannot be removed, or get another role.",
    when: "The console would have no owner left.",
  },
} as const satisfies ErrorGroup<
  "authentication_error" | "rate_limit_exceeded" | "permission_error" | "not_found_error" | "conflict_error"
>;
