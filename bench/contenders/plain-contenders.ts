import { join } from "node:path";
import type { Call, Contender } from "./contender.ts";
import type { Pinning } from "../machine.ts";
import { startNginx } from "./nginx.ts";
import type { Answering } from "../payload/dialect.ts";
import { chatAsking } from "../payload/openai-chat.ts";
import { answerModel } from "../payload/words.ts";
import { plainPath, type Upstream } from "../upstream.ts";

/** No gateway at all: the baseline of throughput and latency. */
export function directContender(upstream: Upstream): Contender {
  return { name: "direct", pid: null, ledger: null, call: (answering) => plainCall(upstream.port, answering) };
}

/** The baseline of what a gateway costs: nginx, forwarding without a look. */
export async function nginxContender(
  program: string,
  setting: { readonly upstream: Upstream; readonly pinning: Pinning; readonly folder: string },
): Promise<Contender> {
  const { port, pid } = await startNginx({
    program,
    place: setting.pinning.gateway,
    folder: join(setting.folder, "nginx"),
    http: `upstream bench { server 127.0.0.1:${setting.upstream.port}; keepalive 256; keepalive_requests 1000000000; }`,
    server: `
    location / {
      proxy_pass http://bench;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 120s;
    }`,
  });
  return { name: "nginx", pid, ledger: null, call: (answering) => plainCall(port, answering) };
}

function plainCall(port: number, answering: Answering): Call {
  return {
    port,
    path: plainPath(answering),
    headers: chatAsking.headers("sk-bench"),
    body: chatAsking.body(answerModel, answering),
  };
}
