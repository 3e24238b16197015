import type { Signing } from "../dialects/dialect.ts";
import type { UpstreamRequest } from "../dialects/exchange.ts";
import type { HttpClient, Origin } from "./http/exchange.ts";
import type { Provider } from "./provider.ts";

/** Everything about a provider that a call needs and that stays the same from call to call. */
export interface Channel {
  readonly provider: Provider;
  readonly origin: Origin;
  /**
   * The request line and the headers of a call, each line ended by CRLF, less the framing.
   * @param signing how the request's dialect carries a credential
   * @param credential one of the provider's keys; null if it takes none
   */
  head(request: UpstreamRequest, signing: Signing, credential: string | null): string;
  /** The channel to another address of the same provider, opened when it is first asked for. */
  at(baseUrl: string): Channel;
}

/** The part of a head that is the same for all calls with one credential in one dialect. */
interface CommonHead {
  readonly text: string;
  readonly headers: ReadonlyMap<string, string>;
}

/** Credentials per provider are few; a dialect more or less does not matter. */
const maxCommonHeads = 1_000;

/** Opens the way to a provider. Throws if its address or a configured header cannot be sent. */
export function openChannel(client: HttpClient, provider: Provider, origin = openOrigin(client, provider)): Channel {
  const basePath = new URL(provider.baseUrl).pathname.replace(/\/$/, "");
  const commonHeads = new Map<Signing, Map<string | null, CommonHead>>();
  for (const [name, value] of Object.entries(provider.headers)) checkHeader(name, value);
  for (const apiKey of provider.apiKeys) checkHeader("authorization", apiKey);

  const commonHead = (signing: Signing, credential: string | null): CommonHead => {
    let byCredential = commonHeads.get(signing);
    if (!byCredential) commonHeads.set(signing, (byCredential = new Map()));
    let common = byCredential.get(credential);
    if (common) return common;
    const headers = new Map([
      ["host", origin.host],
      // The answer is observed as it passes, so it must not be compressed.
      ["accept-encoding", "identity"],
      ...Object.entries(provider.headers),
    ]);
    if (signing.in === "header" && credential !== null) headers.set(...signing.header(credential));
    common = { text: headerLines(headers), headers };
    if (byCredential.size < maxCommonHeads) byCredential.set(credential, common);
    return common;
  };

  const elsewhere = new Map<string, Channel>();
  return {
    provider,
    origin,
    at(baseUrl) {
      const known = elsewhere.get(baseUrl) ?? openChannel(client, { ...provider, baseUrl });
      elsewhere.set(baseUrl, known);
      return known;
    },
    head(request, signing, credential) {
      const { text, headers: common } = commonHead(signing, credential);
      let { path, headers } = request;
      if (signing.in === "query" && credential !== null) {
        path += `${path.includes("?") ? "&" : "?"}${signing.parameter}=${encodeURIComponent(credential)}`;
      } else if (signing.in === "request" && credential !== null) {
        headers = { ...headers, ...signing.sign({ ...request, url: provider.baseUrl + path }, credential) };
      }
      const line = `${request.method} ${basePath}${path} HTTP/1.1\r\n`;
      let own = "";
      for (const name in headers) {
        if (common.has(name)) return line + headerLines(new Map([...common, ...Object.entries(headers)]));
        own += `${name}: ${headers[name]}\r\n`;
      }
      return line + text + own;
    },
  };
}

function openOrigin(client: HttpClient, { baseUrl, tls }: Provider): Origin {
  return client.origin({ url: baseUrl, ...(tls ? { tls } : {}) });
}

/** The channels of all providers. */
export interface Channels {
  of(provider: Provider): Channel;
  /** Opens one more, which lasts as long as the provider is used. Throws as `openChannels`. */
  open(provider: Provider): void;
}

/** Opens a channel to each provider. Throws an `Error` that names the provider whose address or header cannot be used. */
export function openChannels(client: HttpClient, providers: readonly Provider[]): Channels {
  const channels = new WeakMap<Provider, Channel>();
  /** By address: a provider that is opened again and again, with other settings, keeps its connections. */
  const origins = new Map<string, Origin>();
  const open = (provider: Provider, known?: Origin) => {
    try {
      channels.set(provider, openChannel(client, provider, known));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`The provider '${provider.id}' cannot be called: ${reason}`, { cause });
    }
  };
  for (const provider of providers) open(provider);
  return {
    of(provider) {
      const channel = channels.get(provider);
      if (!channel) throw new Error(`There is no channel to the provider '${provider.id}'.`);
      return channel;
    },
    open(provider) {
      if (provider.tls) return open(provider);
      const address = new URL(provider.baseUrl).origin;
      const origin = origins.get(address) ?? openOrigin(client, provider);
      origins.set(address, origin);
      open(provider, origin);
    },
  };
}

function headerLines(headers: ReadonlyMap<string, string>): string {
  let text = "";
  for (const [name, value] of headers) text += `${name}: ${value}\r\n`;
  return text;
}

function checkHeader(name: string, value: string): void {
  if (/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) && !/[^\t\x20-\x7e\x80-\xff]/.test(value)) return;
  // Its value may be a credential.
  throw new Error(`The header '${name.slice(0, 50)}' of a provider holds characters that HTTP does not allow.`);
}
