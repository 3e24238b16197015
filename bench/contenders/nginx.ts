import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstChild } from "../proc.ts";
import { waitForPort } from "../ports.ts";
import { freePort } from "../../scripts/free-port.ts";
import { startServer } from "../processes.ts";

export interface Nginx {
  readonly port: number;
  /** Of the one worker: the process that serves. */
  readonly pid: number;
}

interface Setup {
  /** A free one if left out. */
  readonly port?: number | null;
  /** Path of the program. */
  readonly program: string;
  /** Command words before it, for pinning. */
  readonly place: readonly string[];
  /** A folder of its own, made here. */
  readonly folder: string;
  readonly modules?: readonly string[];
  /** Lines of the `http` block outside the server. */
  readonly http?: string;
  /** Lines of the `server` block. */
  readonly server: string;
}

const maxConnections = 16_384;

/** An nginx with one worker and no access log, on a free port unless it is told one. */
export async function startNginx(setup: Setup): Promise<Nginx> {
  mkdirSync(setup.folder, { recursive: true });
  const port = setup.port ?? freePort();
  const file = join(setup.folder, "nginx.conf");
  writeFileSync(file, configuration(setup, port));
  const command = [
    ...setup.place,
    setup.program,
    "-c",
    file,
    "-p",
    setup.folder,
    "-e",
    join(setup.folder, "error.log"),
  ];
  const log = join(setup.folder, "output.log");
  const master = startServer(command, log);
  await waitForPort(port, () =>
    master.exitCode === null ? null : `nginx did not start:\n${readFileSync(log, "utf8")}`,
  );
  return { port, pid: await workerOf(master.pid) };
}

/** The master listens a moment before it has a worker. */
async function workerOf(master: number): Promise<number> {
  for (let tries = 0; tries < 1000; tries++) {
    const worker = firstChild(master);
    if (worker !== null) return worker;
    await Bun.sleep(2);
  }
  throw new Error("nginx started no worker");
}

function configuration(setup: Setup, port: number): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `
${(setup.modules ?? []).map((path) => `load_module ${path};`).join("\n")}
worker_processes 1;
worker_rlimit_nofile ${maxConnections};
daemon off;
pid ${join(setup.folder, "nginx.pid")};
error_log ${join(setup.folder, "error.log")};
events { worker_connections ${maxConnections}; }
http {
  access_log off;
  client_max_body_size 64m;
  keepalive_requests 1000000000;
${temporary.map((name) => `  ${name}_temp_path ${join(setup.folder, name)};`).join("\n")}
  ${setup.http ?? ""}
  server {
    listen 127.0.0.1:${port} backlog=4096;
    ${setup.server}
  }
}
`;
}
