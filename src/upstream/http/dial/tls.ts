import { getCACertificates } from "node:tls";
import type { TlsOptions } from "../exchange.ts";

/** As ALPN has it: each name behind its length. */
const http11 = Buffer.from("\x08http/1.1");

let usual: string | undefined;

/** The system's certificate authorities, Bun's own and those of NODE_EXTRA_CA_CERTS, PEM. Read once. */
function usualAuthorities(): string {
  usual ??= [...new Set([...getCACertificates("system"), ...getCACertificates("default")])].join("\n");
  return usual;
}

/**
 * The options that Bun needs to make a verified connection to `hostname`. Throws an `Error` if a certificate is given without its key, or
 * the other way round.
 *
 * `serverName` is always set: Bun takes TLS options that say nothing for no TLS at all. It is empty for an IP address, which must not
 * be sent as a server name (RFC 6066, section 3); Bun then verifies the certificate against the address.
 */
export function verifiedTls(hostname: string, { ca, cert, key }: TlsOptions, environment: Environment): Bun.TLSOptions {
  if ((cert === undefined) !== (key === undefined)) {
    throw new Error("A client certificate needs both tls.cert and tls.key.");
  }
  // Given authorities replace Bun's own, and are hashed again for every connection.
  const bunKnowsAll = ca === undefined && environment["NODE_USE_SYSTEM_CA"] === "1";
  return {
    serverName: isAddress(hostname) ? "" : hostname,
    rejectUnauthorized: true,
    ALPNProtocols: http11,
    ...(bunKnowsAll ? {} : { ca: ca === undefined ? usualAuthorities() : `${usualAuthorities()}\n${ca}` }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}

export type Environment = Readonly<Record<string, string | undefined>>;

function isAddress(hostname: string): boolean {
  return hostname.includes(":") || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}
