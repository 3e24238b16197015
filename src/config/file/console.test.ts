import { expect, test } from "bun:test";
import { ConfigError } from "../problem.ts";
import { defaultConsole } from "../defaults.ts";
import { readConfigText } from "./read-config-file.ts";

const read = (text: string, environment = {}) => readConfigText(text, "t.yaml", environment, null).console;

test("the console has defaults, and the public address of the server unless it has its own", () => {
  expect(read("server: { port: 0 }")).toEqual(defaultConsole);
  const server = "server: { public_url: https://gateway.example }";
  expect(read(server).publicUrl).toBe("https://gateway.example");
  expect(read(`${server}\nconsole: { public_url: https://console.example/, session_hours: 12 }`)).toMatchObject({
    publicUrl: "https://console.example",
    sessionMs: 12 * 3_600_000,
  });
  expect(read("console: { enabled: false }").enabled).toBeFalse();
});

test("an OIDC provider is read with its secret from the environment", () => {
  const oidc = "console: { oidc: { issuer: https://sso.example/, client_id: tollgate, client_secret: '${SECRET}' } }";
  expect(read(oidc, { SECRET: "hidden" }).oidc).toEqual({
    name: "single sign-on",
    // As it is written: issuers are compared character by character.
    issuer: "https://sso.example/",
    clientId: "tollgate",
    clientSecret: "hidden",
    scopes: ["openid", "email", "profile"],
  });
});

test.each([
  ["console: { enable: false }", "enable"],
  ["console: { session_hours: 0 }", "session_hours"],
  ["console: { session_hours: 721 }", "session_hours"],
  ["console: { public_url: gateway.example }", "public_url"],
  ["console: { oidc: { issuer: https://sso.example } }", "client_id"],
  ["console: { oidc: { issuer: sso, client_id: a, client_secret: b } }", "issuer"],
])("%s is a problem that names the field", (text, field) => {
  try {
    read(text);
    expect.unreachable();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message).toContain(field);
  }
});
