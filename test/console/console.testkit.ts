import { issueSetUpLink } from "../../src/console/links.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { createTestDatabase } from "../../src/storage/postgres/test-database.testkit.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "../gateway.testkit.ts";

export const password = "a long password of tests";

/** An answer of the console. */
export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Headers;
  // The shape is what a test is about.
  readonly body: Readonly<Record<string, unknown>> & {
    readonly error?: {
      readonly code: string;
      readonly type: string;
      readonly param: string | null;
      readonly message: string;
    };
    readonly data?: readonly Readonly<Record<string, unknown>>[];
  };
}

/** A browser: it keeps cookies, says where its requests come from, and sends the token of its session. */
export interface Browser {
  readonly cookies: Map<string, string>;
  csrf: string;
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ConsoleAnswer>;
  /** Asks for its session, and keeps the token. */
  refresh(): Promise<ConsoleAnswer>;
  signIn(email: string, password?: string): Promise<ConsoleAnswer>;
}

export function createBrowser(url: string, site = url): Browser {
  const cookies = new Map<string, string>();
  const browser: Browser = {
    cookies,
    csrf: "",
    async send(method, path, body, headers = {}) {
      const jar = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(`${url}${path}`, {
        method,
        redirect: "manual",
        headers: {
          "sec-fetch-site": "same-origin",
          ...(method === "GET" ? {} : { origin: site, "x-console-csrf": browser.csrf }),
          ...(jar === "" ? {} : { cookie: jar }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      for (const cookie of response.headers.getSetCookie()) keep(cookies, cookie);
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: parse(text) };
    },
    async refresh() {
      const answer = await browser.send("GET", "/console/session");
      const { csrf } = answer.body;
      browser.csrf = typeof csrf === "string" ? csrf : "";
      return answer;
    },
    async signIn(email, secret = password) {
      const answer = await browser.send("POST", "/console/auth/sign-in/email", { email, password: secret });
      if (answer.status === 200) await browser.refresh();
      return answer;
    },
  };
  return browser;
}

function keep(cookies: Map<string, string>, cookie: string): void {
  const [pair = "", ...attributes] = cookie.split(";");
  const [name = "", ...value] = pair.split("=");
  if (attributes.some((each) => /^\s*max-age=0$/i.test(each))) cookies.delete(name);
  else cookies.set(name, value.join("="));
}

function parse(text: string): ConsoleAnswer["body"] {
  try {
    return JSON.parse(text) as ConsoleAnswer["body"];
  } catch {
    return {};
  }
}

/** A gateway whose console has no user, with its storage. */
export interface ConsoleGateway {
  readonly gateway: TestGateway;
  readonly storage: Storage;
  browser(): Browser;
  /** The token of a new set-up link. */
  setUpToken(): Promise<string>;
  /** A browser in which the first owner has signed in. */
  owner(): Promise<Browser>;
  /** A browser in which a user has signed in whom the owner has invited. */
  invited(
    owner: Browser,
    user: { readonly email: string; readonly role: string; readonly account_id?: string },
  ): Promise<Browser>;
  stop(): Promise<void>;
}

export const ownerEmail = "owner@example.com";

export async function startConsoleGateway(
  kind: "sqlite" | "postgres" = "sqlite",
  options: TestGatewayOptions = {},
): Promise<ConsoleGateway> {
  const database = kind === "postgres" ? await createTestDatabase() : null;
  const gateway = await startTestGateway({ ...options, ...(database && { storageUrl: database.url }) });
  const storage = await openStorage(gateway.storageUrl, options.clock ? { clock: options.clock } : {});
  const now = () => options.clock?.now() ?? Date.now();
  const setUpToken = async () => {
    const token = await issueSetUpLink(storage.console, now());
    if (token === null) throw new Error("There is a user already.");
    return token;
  };
  const redeem = async (token: string, body: object): Promise<Browser> => {
    const browser = createBrowser(gateway.url);
    const answer = await browser.send("POST", "/console/auth-setup", { token, password, ...body });
    if (answer.status !== 200)
      throw new Error(`The link was answered with ${answer.status}: ${JSON.stringify(answer.body)}`);
    await browser.refresh();
    return browser;
  };
  return {
    gateway,
    storage,
    browser: () => createBrowser(gateway.url),
    setUpToken,
    owner: async () => redeem(await setUpToken(), { name: "Owner", email: ownerEmail }),
    async invited(owner, user) {
      const answer = await owner.send("POST", "/console/users", { name: user.email, ...user });
      const token = tokenIn(answer.body["link"]);
      if (answer.status !== 201) throw new Error(`The invitation was answered with ${answer.status}.`);
      return redeem(token, {});
    },
    async stop() {
      await storage.close();
      await gateway.stop();
      await database?.drop();
    },
  };
}

/** The token in the address of a link: behind the `#`, which browsers send to no server. */
export function tokenIn(link: unknown): string {
  return new URLSearchParams(new URL(String(link)).hash.slice(1)).get("token") ?? "";
}
