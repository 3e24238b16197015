import { beforeEach, expect } from "bun:test";
import { type AdminAnswer, type AdminGateway, onBothStorages } from "../admin/admin.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { searchAt } from "./search.testkit.ts";

/** The key of the backends that tests create. */
export const secret = "tvly-very-secret-key-of-a-backend-4711";

/** Two gateways on one storage, with a backend `fixed` in their configuration. */
export interface BackendTest extends Pick<AdminGateway, "send"> {
  readonly context: () => AdminGateway;
  readonly isSqlite: () => boolean;
  /** The address of the first gateway's sandbox. */
  readonly url: () => string;
  /** The fields of an account of the sandbox's Tavily, told apart by its name in the address. */
  readonly fields: (id: string, more?: object) => object;
  readonly create: (id: string, more?: object) => Promise<AdminAnswer["body"]>;
  readonly patch: (id: string, changes: object) => Promise<AdminAnswer>;
  /** The entries of a backend in the audit trail, newest first. */
  readonly changesOf: (id: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** The id of the backend that answers, or the error code. */
  readonly whoAnswers: (backend: string, at?: TestGateway) => Promise<string | null | undefined>;
}

/** Runs the same tests on both storages. Each begins without stored backends. */
export function withBackends(tests: (backends: BackendTest) => void): void {
  onBothStorages(
    (context) => {
      const send: AdminGateway["send"] = (...words) => context().send(...words);
      const url = () => context().gateway.sandbox.url;
      const fields = (id: string, more: object = {}) => {
        return { id, provider: "tavily", base_url: `${url()}/search/tavily@${id}`, api_key: secret, ...more };
      };
      beforeEach(async () => {
        context().gateway.sandbox.reset();
        for (const { id, source } of (await send("GET", "/search-backends")).body.data ?? []) {
          if (source === "storage") await send("DELETE", `/search-backends/${String(id)}`);
        }
      });
      tests({
        context,
        send,
        url,
        fields,
        isSqlite: () => context().gateway.storageUrl.startsWith("sqlite:"),
        async create(id, more) {
          const { status, body } = await send("POST", "/search-backends", fields(id, more));
          expect({ id, status, error: body.error }).toEqual({ id, status: 201, error: undefined });
          return body;
        },
        patch: (id, changes) => send("PATCH", `/search-backends/${id}`, changes),
        changesOf: async (id) => (await send("GET", `/changes?kind=search_backend&id=${id}`)).body.data ?? [],
        async whoAnswers(backend, at = context().gateway) {
          const headers = { authorization: `Bearer ${context().gateway.key}` };
          const { status, body } = await searchAt(at, { backend }, headers);
          return status === 200 ? body.route_receipt.selected_backend : body.error?.code;
        },
      });
    },
    {
      backends: (url) => [
        {
          id: "fixed",
          name: "Fixed one",
          provider: "tavily",
          baseUrl: `${url}/search/tavily@fixed`,
          apiKeys: ["tvly-key-of-the-configuration"],
          priority: 7,
        },
      ],
    },
  );
}
