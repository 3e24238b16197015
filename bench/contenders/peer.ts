import { type Contender, ownNames } from "./contender.ts";
import type { Answering } from "../payload/dialect.ts";
import { chatAsking } from "../payload/openai-chat.ts";

/** Another gateway that runs already, and stands before the benchmark's upstream. */
export interface Peer {
  readonly name: string;
  readonly port: number;
  /** The prefix of the path of its chat completions, without a slash at its end; `{kind}` stands for the answer's kind. */
  readonly prefix: string;
  readonly key: string;
  /** `{kind}` stands for the answer's kind. */
  readonly model: string;
  /** Null if not given: its CPU and memory are not measured then. */
  readonly pid: number | null;
}

const namePattern = /^[a-z0-9][a-z0-9._-]{0,31}$/i;
const settings = ["key", "model", "pid"] as const;
type Setting = (typeof settings)[number];

/** The form of `--peer`, as error messages quote it. */
const form = "NAME=URL[,key=KEY][,model=MODEL][,pid=PID]";

/**
 * Reads the values of `--peer`. Throws with a message for the user if one is not of the form, has a name that is taken
 * or given twice, or is on another machine: the load tools send to this one only.
 */
export function readPeers(words: readonly string[]): Peer[] {
  const peers = words.map(readPeer);
  for (const [index, { name }] of peers.entries()) {
    if (peers.findIndex((other) => other.name === name) !== index) throw new Error(`--peer: "${name}" is given twice`);
  }
  return peers;
}

function readPeer(word: string): Peer {
  const [, name = "", address = "", rest = ""] = /^([^=]*)=([^,]*)(?:,(.*))?$/.exec(word) ?? [];
  if (address === "") throw new Error(`--peer: "${word}" is not of the form ${form}`);
  if (!namePattern.test(name)) {
    throw new Error(`--peer: the name "${name}" is not 1 to 32 letters, digits, ".", "_" or "-"`);
  }
  if (ownNames.some((own) => own === name)) throw new Error(`--peer: the name "${name}" is the benchmark's own`);
  const { port, prefix } = readAddress(name, address);
  const given = readSettings(name, rest);
  const { key = "sk-bench", model = "bench-{kind}", pid } = given;
  return { name, port, prefix, key, model, pid: pid === undefined ? null : readPid(name, pid) };
}

function readAddress(name: string, address: string): { readonly port: number; readonly prefix: string } {
  const url = URL.parse(address);
  if (url === null || url.protocol !== "http:") throw new Error(`--peer ${name}: "${address}" is not an http:// URL`);
  if (url.hostname !== "127.0.0.1" && url.hostname !== "localhost") {
    throw new Error(`--peer ${name}: "${url.hostname}" is not this machine; only 127.0.0.1 is loaded`);
  }
  if (url.search !== "" || url.hash !== "") throw new Error(`--peer ${name}: the URL has a query or a fragment`);
  const prefix = decodeURI(url.pathname).replace(/\/+$/, "");
  return { port: url.port === "" ? 80 : Number(url.port), prefix };
}

function readSettings(name: string, rest: string): Partial<Record<Setting, string>> {
  const given: Partial<Record<Setting, string>> = {};
  for (const part of rest === "" ? [] : rest.split(",")) {
    const [word = "", ...values] = part.split("=");
    const setting = settings.find((each) => each === word);
    if (setting === undefined) throw new Error(`--peer ${name}: "${word}" is not one of ${settings.join(", ")}`);
    if (setting in given) throw new Error(`--peer ${name}: ${setting} is given twice`);
    const value = values.join("=");
    if (value === "") throw new Error(`--peer ${name}: ${setting} is empty`);
    given[setting] = value;
  }
  return given;
}

function readPid(name: string, word: string): number {
  const pid = Number(word);
  if (!Number.isInteger(pid) || pid < 1) throw new Error(`--peer ${name}: pid "${word}" is not a process id`);
  return pid;
}

/** The contender that a peer is. Its records are its own business. */
export function peerContender({ name, port, prefix, key, model, pid }: Peer): Contender {
  const filled = (text: string, answering: Answering) => text.replaceAll("{kind}", answering);
  return {
    name,
    pid,
    ledger: null,
    call: (answering) => ({
      port,
      path: `${filled(prefix, answering)}/chat/completions`,
      headers: chatAsking.headers(key),
      body: chatAsking.body(filled(model, answering), answering),
    }),
  };
}
