/** Why a server could not listen, in words for the operator; null where something else went wrong. */
export function listenFailure(error: unknown, host: string, port: number): string | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  const place = `${host}:${port}`;
  switch (code) {
    case "EADDRINUSE":
      return `cannot listen on ${place}: the port is taken. Stop what uses it, or choose another (port 0 takes a free one).`;
    case "EACCES":
      return `cannot listen on ${place}: this user may not use the port. Choose one above 1023.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `cannot listen on ${place}: this machine has no such address.`;
    default:
      return null;
  }
}
