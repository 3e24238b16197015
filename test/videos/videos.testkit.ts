import type { TestGateway, TestModel, TestGatewayOptions } from "../gateway.testkit.ts";
import { until } from "../until.testkit.ts";

/** A job as callers see it. */
export interface ShownVideo {
  readonly id: string;
  readonly status: "queued" | "in_progress" | "completed" | "failed";
  readonly progress: number;
  readonly seconds: string;
  readonly size: string;
  readonly expires_at: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** A tenth of a USD. */
export const secondMicrousd = 100_000;

/** The providers that make films, in front of the sandbox. */
export const providersAt: NonNullable<TestGatewayOptions["providers"]> = (url) => [
  { id: "openai", dialects: ["openai-chat"], baseUrl: url },
  { id: "veo", dialects: ["gemini"], baseUrl: url.replace(/\/v1$/, ""), apiKeys: ["veo-key"] },
];

export const videoModels: readonly TestModel[] = ["openai", "veo"].map((provider) => ({
  id: `film-${provider}`,
  endpoints: ["videos"],
  targets: [{ provider, model: "sandbox-video" }],
  prices: { video_second: secondMicrousd },
}));

/** The parts of a caller of videos. */
export function videosOf(gateway: TestGateway, key = gateway.key) {
  const fetch = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${key}`);
    return gateway.fetch(`/v1/videos${path}`, { ...init, headers });
  };
  const show = async (id: string) => (await (await fetch(`/${id}`)).json()) as ShownVideo;
  return {
    fetch,
    show,
    post: (body: object, more: Readonly<Record<string, string>> = {}) =>
      fetch("", {
        method: "POST",
        headers: { "content-type": "application/json", ...more },
        body: JSON.stringify({ model: "sandbox-video", prompt: "A cat.", ...body }),
      }),
    /** Waits until the job has ended. */
    async ended(id: string): Promise<ShownVideo> {
      let shown = await show(id);
      await until(`the end of ${id}`, async () => {
        shown = await show(id);
        return shown.status === "completed" || shown.status === "failed";
      });
      return shown;
    },
  };
}

/** The id of the request that began a job. */
export function requestOf(id: string): string {
  return `req_${id.slice("video_".length)}`;
}
