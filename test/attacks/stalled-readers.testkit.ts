import { openRaw, type RawConnection } from "../raw-http.testkit.ts";

/** Opens streams of a model's whose callers read no further than its first event. */
export async function openStalled(
  gateway: { readonly url: string; readonly key: string },
  model: string,
  count: number,
): Promise<RawConnection[]> {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Go on" }] });
  const lines = ["Host: gateway", `Authorization: Bearer ${gateway.key}`, `Content-Length: ${body.length}`];
  const request = ["POST /v1/chat/completions HTTP/1.1", ...lines, "", body].join("\r\n");
  const connections: RawConnection[] = [];
  for (let index = 0; index < count; index++) {
    const connection = await openRaw(gateway.url);
    connection.send(request);
    connections.push(connection);
    await connection.received("data: ");
    connection.pause();
  }
  return connections;
}
