/** The id of the OIDC provider in paths and tables. */
export const oidcProvider = "oidc";

/** The header in which the library of sign-in is given the address of a caller. */
export const addressHeader = "x-console-address";
