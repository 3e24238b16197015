import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createInstallation, type Installation } from "../installation.testkit.ts";
import type { GatewayProcess } from "../process.testkit.ts";

/** An upload of 25 MB moves less than 40 MB of the gateway's memory. */

let installation: Installation;
let gateway: GatewayProcess;
beforeAll(async () => {
  installation = await createInstallation();
  gateway = await installation.start();
});
afterAll(() => installation.remove());

const megabyte = 1_000_000;
const residentBytes = () => {
  const [, kilobytes] = /VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1_024;
};

async function upload(index: number): Promise<string> {
  const form = new FormData();
  form.set("purpose", "user_data");
  const piece = crypto.getRandomValues(new Uint8Array(50_000));
  form.set("file", new Blob(Array.from({ length: 500 }, () => piece)), `${index}.bin`);
  const headers = { authorization: `Bearer ${installation.key}` };
  const response = await fetch(`${gateway.url}/v1/files`, { method: "POST", headers, body: form });
  expect(response.status).toBe(200);
  return ((await response.json()) as { id: string }).id;
}

async function download(id: string): Promise<number> {
  const headers = { authorization: `Bearer ${installation.key}` };
  const response = await fetch(`${gateway.url}/v1/files/${id}/content`, { headers });
  let bytes = 0;
  for await (const piece of response.body ?? []) bytes += piece.length;
  return bytes;
}

/** The most memory that the gateway had while `work` ran, over what it had before. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  const before = residentBytes();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, residentBytes())), 2);
  await work();
  clearInterval(timer);
  return Math.max(most, residentBytes()) - before;
}

test("uploads and downloads of 25 MB", async () => {
  // What the first one loads is not an upload's.
  await download(await upload(0));
  const growths: number[] = [];
  for (let index = 1; index <= 3; index++) {
    growths.push(await growth(async () => expect(await download(await upload(index))).toBe(25 * megabyte)));
  }
  expect(Math.max(...growths)).toBeLessThan(40 * megabyte);
});
