import type { Clock } from "../../clock.ts";
import { GatewayError, invalidRequest } from "../../errors.ts";
import type { JsonObject } from "../../json/values.ts";
import { SealError, type Sealer } from "../../secrets/seal.ts";
import type { Provider } from "../../upstream/provider.ts";
import { type CredentialSealer, noSealedFields, resealed, sealPart } from "./credentials.ts";
import type { StoredItem } from "./stored-item.ts";

export interface SealItemOptions {
  readonly clock: Clock;
  readonly sealer: Sealer;
  /** Names the item in errors: `search backend`, `provider`. */
  readonly what: string;
  readonly id: string;
  readonly fields: JsonObject;
  /** What the operator has sent. */
  readonly given: JsonObject;
  /** What was read of it: the address, and the credentials if there are new ones. */
  readonly provider: Provider;
  /** What it is a change of; null if it is new. */
  readonly before: StoredItem | null;
  /** The address that it had before; null if there was none that could be read. */
  readonly oldBaseUrl: string | null;
}

/**
 * The stored form of a provider or search backend, its credentials sealed. What is not given stays as it is.
 * @throws 400 if kept credentials would go to another origin; 409 if there is no key to seal new ones with
 */
export function sealItem(options: SealItemOptions): StoredItem {
  const { clock, sealer, what, id, fields, given, provider, before } = options;
  refuseMovedCredentials(options);
  const place: CredentialSealer = { sealer, place: `${what.replace(" ", "-")}/${id}` };
  const kept = before?.sealed ?? noSealedFields;
  const hasKeys = given["api_key"] !== undefined || given["api_keys"] !== undefined;
  const hasSecret = given["webhook_secret"] !== undefined;
  try {
    const webhookSecret = hasSecret
      ? sealPart(place, "webhookSecret", provider.webhook?.secret ?? null)
      : resealed(place, kept, "webhookSecret");
    const sealed = {
      apiKeys: hasKeys ? sealPart(place, "apiKeys", provider.apiKeys) : resealed(place, kept, "apiKeys"),
      headers:
        given["headers"] === undefined
          ? resealed(place, kept, "headers")
          : sealPart(place, "headers", provider.headers),
      ...(webhookSecret !== null && { webhookSecret }),
    };
    return { id, fields, sealed, updatedAt: clock.now() };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    const message = `The credentials of the ${what} '${id}' ${error.message}.`;
    throw GatewayError.of("no_secret_key", message, { param: "api_key" });
  }
}

/** Nobody who may change an address, and does not know the credentials, can have them sent to an address of their choice. */
function refuseMovedCredentials({ what, id, given, provider, before, oldBaseUrl }: SealItemOptions): void {
  if (before === null || originOf(oldBaseUrl) === originOf(provider.baseUrl)) return;
  const isKept = (...names: readonly string[]) => names.every((name) => given[name] === undefined);
  const moved: (readonly [param: string, noun: string])[] = [];
  if (before.sealed.apiKeys !== null && isKept("api_key", "api_keys")) moved.push(["api_key", "key"]);
  if (before.sealed.headers !== null && isKept("headers")) moved.push(["headers", "headers"]);
  const [first] = moved;
  if (!first) return;
  const [param, noun] = first;
  const message =
    `The ${noun} of the ${what} '${id}' ${noun === "key" ? "was" : "were"} given for ${originOf(oldBaseUrl) ?? "another address"}. ` +
    `Send '${param}' too for ${originOf(provider.baseUrl)}: anew, or null for none.`;
  throw invalidRequest("invalid_parameter", message, param);
}

function originOf(baseUrl: string | null): string | null {
  return baseUrl === null ? null : (URL.parse(baseUrl)?.origin ?? baseUrl);
}
