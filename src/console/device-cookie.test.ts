import { expect, test } from "bun:test";
import { deviceCookie, readDevice } from "./device-cookie.ts";

const halfYearMs = 180 * 24 * 3_600_000;
const owner = { email: "ada@example.com", isSecure: true, secret: "s".repeat(64), now: 1_000_000 };
const given = (cookie: string) => cookie.split(";", 1)[0] ?? "";

test("a device is known to its user alone, by its secret, for half a year", () => {
  const cookie = deviceCookie(null, owner);
  expect(cookie).toMatch(
    /^__Host-tollgate_console\.device=.*; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
  const id = readDevice(given(cookie), owner);
  expect(id).toMatch(/^[\w-]{22}$/);
  expect(readDevice(`a=b; ${given(cookie)}; c=d`, { ...owner, now: owner.now + halfYearMs - 1_000 })).toBe(id);
  expect(readDevice(given(cookie), { ...owner, now: owner.now + halfYearMs })).toBeNull();
  expect(readDevice(given(cookie), { ...owner, email: "eve@example.com" })).toBeNull();
  expect(readDevice(given(cookie), { ...owner, secret: "t".repeat(64) })).toBeNull();
  expect(readDevice(given(cookie), { ...owner, isSecure: false })).toBeNull();
  expect(cookie).not.toContain("ada");
});

test("a later sign-in keeps the id, and thereby the counter, of a device", () => {
  const id = readDevice(given(deviceCookie(null, owner)), owner);
  expect(readDevice(given(deviceCookie(id, owner)), owner)).toBe(id);
  expect(readDevice(given(deviceCookie(null, owner)), owner)).not.toBe(id);
});

test("a cookie with any other time or signature is none", () => {
  const cookie = given(deviceCookie(null, owner));
  for (const changed of [
    cookie.replace(/\.(\d+)\./, ".9999999999."),
    cookie.slice(0, -1),
    `${cookie}a`,
    "",
    "device=a",
  ]) {
    expect(readDevice(changed, owner)).toBeNull();
  }
  expect(readDevice(null, owner)).toBeNull();
});
