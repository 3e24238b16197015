import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway, type TestKey } from "../gateway.testkit.ts";
import { type ShownVideo, videosOf } from "../videos/videos.testkit.ts";
import { expectDescribed } from "./described.testkit.ts";

interface Answered {
  readonly data?: readonly Readonly<Record<string, unknown>>[];
  readonly next?: unknown;
}

/** Films and files of all accounts, as operators play and look at them. */

/** Not two gateways, as elsewhere: each has a sandbox of its own, and would take up the other's jobs. */
let gateway: TestGateway;
let admin: TestKey;
let film: string;
const account = "media-account";
beforeAll(async () => {
  gateway = await startTestGateway();
  admin = await gateway.newKey({ admin: true });
  await send("POST", "/accounts", { id: account });
  const videos = videosOf(gateway, (await gateway.newKey({ accountId: account })).key);
  film = ((await (await videos.post({})).json()) as ShownVideo).id;
  await videos.ended(film);
});
afterAll(() => gateway.stop());

const withKey = (path: string, key: string, init: RequestInit = {}) => {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${key}`);
  return fetch(`${gateway.url}${path}`, { ...init, headers });
};
const look = (path: string, init: RequestInit = {}) => withKey(`/api/admin${path}`, admin.key, init);
const send = async (method: string, path: string, body?: object) => {
  const headers = { "content-type": "application/json" };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await look(path, init);
  const json = (await response.json()) as Answered;
  if (response.ok) expectDescribed(method, `/api/admin${path.replace(/\?.*/, "")}`, response.status, json);
  return { status: response.status, body: json };
};
const upload = async (name: string, bytes: string | Uint8Array<ArrayBuffer>) => {
  const form = new FormData();
  form.set("purpose", "user_data");
  form.set("file", new File([bytes], name));
  const response = await withKey("/v1/files", gateway.key, { method: "POST", body: form });
  return ((await response.json()) as { id: string }).id;
};

test("a film of any account is played, whole and in ranges, and shown by a browser", async () => {
  const whole = await look(`/videos/${film}/content`);
  expect(whole.status).toBe(200);
  expect(whole.headers.get("content-type")).toBe("video/mp4");
  expect(whole.headers.get("content-disposition")).toStartWith("inline");
  expect(whole.headers.get("content-security-policy")).toBe("sandbox");
  expect(whole.headers.get("x-content-type-options")).toBe("nosniff");
  const bytes = new Uint8Array(await whole.arrayBuffer());
  const part = await look(`/videos/${film}/content`, { headers: { range: "bytes=4-11" } });
  expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 4-11/${bytes.length}`]);
  expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(4, 12));
  expect((await look(`/videos/${film}/content`, { headers: { range: "bytes=999999999-" } })).status).toBe(416);
  expect((await look("/videos/video_none/content")).status).toBe(404);
  expect((await withKey(`/api/admin/videos/${film}/content`, gateway.key)).status).toBe(403);
  expect((await withKey(`/v1/videos/${film}/content`, gateway.key)).status).toBe(404);
});

test("jobs are listed by account and status", async () => {
  const ids = async (query: string) => (await send("GET", `/videos?${query}`)).body.data?.map((job) => job["id"]);
  expect(await ids(`account=${account}&status=completed`)).toEqual([film]);
  expect(await ids(`account=${account}&status=failed`)).toEqual([]);
  expect(await ids("account=none")).toEqual([]);
  expect(await send("GET", "/videos?status=ready")).toMatchObject({
    status: 400,
    body: { error: { param: "status" } },
  });
});

test("files of all accounts are listed in pages, and a browser never shows what could run", async () => {
  const png = await upload("a.png", Uint8Array.fromBase64("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"));
  const page = await upload("page.html", "<!doctype html><script>alert(1)</script>");
  const drawing = await upload(
    "drawing.svg",
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  );
  const first = await send("GET", "/files?limit=2");
  expect(first.body.data?.map(({ id }) => id)).toEqual([drawing, page]);
  const second = await send("GET", `/files?limit=2&after=${String(first.body.next)}`);
  expect(second.body.data?.[0]).toMatchObject({
    id: png,
    account: "default",
    filename: "a.png",
    content_type: "image/png",
  });
  expect((await send("GET", "/files?account=none")).body.data).toEqual([]);
  expect((await send("GET", "/files?purpose=vision")).body.data).toEqual([]);
  expect(await send("GET", "/files?after=x")).toMatchObject({ status: 400, body: { error: { param: "after" } } });
  const kinds = await Promise.all(
    [png, page, drawing].map(async (id) => {
      const response = await look(`/files/${id}/content`);
      await response.arrayBuffer();
      const { headers } = response;
      expect([headers.get("content-security-policy"), headers.get("x-content-type-options")]).toEqual([
        "sandbox",
        "nosniff",
      ]);
      return headers.get("content-disposition")?.split(";")[0];
    }),
  );
  expect(kinds).toEqual(["inline", "attachment", "attachment"]);
  const part = await look(`/files/${page}/content`, { headers: { range: "bytes=0-8" } });
  expect([part.status, await part.text()]).toEqual([206, "<!doctype"]);
  expect((await look("/files/file-none/content")).status).toBe(404);
  expect((await withKey(`/api/admin/files/${page}/content`, gateway.key)).status).toBe(403);
});
