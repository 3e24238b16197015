import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type CommandDirectory, createCommandDirectory } from "../../src/commands/command.testkit.ts";
import { startReceiver } from "../../src/webhooks/receiver.testkit.ts";
import { until } from "../until.testkit.ts";
import { type ShownVideo, videosOf } from "../videos/videos.testkit.ts";
import { onBothStorages } from "./admin.testkit.ts";

/** The events for webhooks, as operators see them and deliver them once more. */

const receiver = startReceiver();
let program: CommandDirectory;
beforeAll(async () => {
  program = await createCommandDirectory();
});
afterAll(async () => {
  await receiver.stop();
  await program.remove();
});
const webhook = {
  accountId: null,
  url: `${receiver.url}/hook`,
  secret: `whsec_${Buffer.alloc(24, 5).toString("base64")}`,
  events: ["video.*"],
  allowPrivate: true,
};

onBothStorages(
  (context) => {
    /** The id of the event of a job that has ended. */
    let id: string;
    /** The webhooks that told of it. */
    const told = () => receiver.received.filter((one) => one.id === id);
    beforeEach(async () => {
      const { gateway } = context();
      const videos = videosOf(gateway);
      const job = (await (await videos.post({ prompt: "[video fails]" })).json()) as ShownVideo;
      await videos.ended(job.id);
      id = `evt_${job.id}`;
      await until("the webhook", () => told().length > 0);
    });

    test("an event that was delivered is listed, and delivered once more under the same id", async () => {
      const { send } = context();
      const listed = await send("GET", "/events?limit=1");
      expect(listed).toMatchObject({
        status: 200,
        body: { data: [{ object: "event", id, type: "video.failed", failed_attempts: 0, data: { object: "video" } }] },
      });
      const isDelivered = async () => {
        const { body } = await send("GET", "/events?undelivered=true");
        return body.data?.every((event) => event.id !== id) === true;
      };
      await until("the event is delivered", isDelivered);
      const before = told().length;
      expect(await send("POST", `/events/${id}/replay`)).toMatchObject({
        status: 200,
        body: { id, delivered_at: null, failed_attempts: 0 },
      });
      await until("the second delivery", () => told().length > before);
      expect(new Set(told().map(({ body }) => body)).size).toBe(1);
      await until("the event is delivered again", isDelivered);
    });

    test("an event that is not there is a 404, and callers see none", async () => {
      const { gateway, send } = context();
      expect(await send("POST", "/events/evt_none/replay")).toMatchObject({
        status: 404,
        body: { error: { code: "event_not_found" } },
      });
      for (const [method, path] of [
        ["GET", "/events"],
        ["POST", `/events/${id}/replay`],
      ] as const) {
        expect((await send(method, path, undefined, gateway.key)).status).toBe(403);
      }
    });

    test("the command lists events and delivers them once more", async () => {
      const storage = { TOLLGATE_STORAGE_URL: context().gateway.storageUrl };
      const run = (...words: string[]) => program.run(["events", ...words], storage);
      const shown = await run("--limit", "1");
      expect(shown).toMatchObject({ exitCode: 0, stderr: "" });
      expect(shown.stdout).toMatch(
        new RegExp(`^WHEN.*\\n.* video\\.failed +default +${id} +0 +(delivered|waiting)\\n$`),
      );
      expect(JSON.parse((await run("--limit", "1", "--json")).stdout)).toMatchObject({ data: [{ id }] });
      const before = told().length;
      const replayed = await run("replay", id, "--json");
      expect([replayed.exitCode, JSON.parse(replayed.stdout)]).toMatchObject([0, { id, delivered_at: null }]);
      await until("the second delivery", () => told().length > before);
      const unknown = await run("replay", "evt_none");
      expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining("evt_none")]);
    });
  },
  { webhooks: [webhook] },
);
