import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPrograms } from "../../scripts/debian-packages.ts";

/** What the servers below run, as Debian packages it: why it cannot be had, or null. */
export const findLocalSound = () =>
  findPrograms(
    ["espeak-ng", "ffmpeg", "pocketsphinx_continuous"],
    ["espeak-ng", "ffmpeg", "pocketsphinx", "pocketsphinx-en-us"],
  );

/** The words that the recogniser may hear if it is asked for few: a voice without breath is hard to understand. */
const vocabulary =
  "the one two three four five six seven eight nine ten quick slow red green blue brown black white fox dog cat bear horse bird fish jumps over under lazy happy house river mountain morning evening".split(
    " ",
  );

export interface LocalSound {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * A server of OpenAI's shape that speaks with espeak-ng (the model `espeak`) or flite (`flite`), and transcribes with
 * PocketSphinx: `words` knows the vocabulary above, and `language` all of English.
 */
export async function startLocalSound(): Promise<LocalSound> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-sound-"));
  const grammar = join(folder, "words.gram");
  await Bun.write(
    grammar,
    `#JSGF V1.0;\ngrammar words;\npublic <said> = <word>+;\n<word> = ${vocabulary.join(" | ")};\n`,
  );
  let files = 0;
  const newFile = (name: string) => join(folder, `${(files += 1)}-${name}`);

  async function speak({ model, input }: { readonly model: string; readonly input: string }): Promise<Response> {
    const file = newFile("said.wav");
    // A filter's text ends at these marks.
    const text = input.replace(/[^\w .,]/g, "");
    if (model === "espeak") await run(["espeak-ng", "-v", "en-gb", "-s", "140", "-w", file, "--", input]);
    else await run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", `flite=text='${text}':voice=slt`, file]);
    return new Response(Bun.file(file), { headers: { "content-type": "audio/wav" } });
  }

  async function transcribe(form: Awaited<ReturnType<Request["formData"]>>): Promise<Response> {
    const given = form.get("file");
    if (!(given instanceof Blob)) return Response.json({ error: { message: "No file." } }, { status: 400 });
    const heard = newFile("heard");
    await Bun.write(heard, given);
    const samples = `${heard}.wav`;
    await run(["ffmpeg", "-v", "error", "-i", heard, "-ar", "16000", "-ac", "1", samples]);
    const known = form.get("model") === "words" ? ["-jsgf", grammar] : [];
    const output = await run(["pocketsphinx_continuous", "-infile", samples, "-time", "yes", ...known]);
    const words = output.split("\n").flatMap(readWord);
    const text = words.map(({ word }) => word).join(" ");
    const duration = (Bun.file(samples).size - 44) / 32_000;
    return Response.json({ task: "transcribe", language: "english", duration, text, words });
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/v1/audio/speech") return speak((await request.json()) as { model: string; input: string });
      if (pathname === "/v1/audio/transcriptions") return transcribe(await request.formData());
      return new Response(null, { status: 404 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    async stop() {
      await server.stop(true);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** `quick(2) 0.250 0.600 0.998` */
function readWord(line: string) {
  const [, word = "", start, end] = /^([a-z']+)(?:\(\d+\))? (\d+\.\d+) (\d+\.\d+) /.exec(line) ?? [];
  return word === "" ? [] : [{ word, start: Number(start), end: Number(end) }];
}

async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  const [output, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  if (code !== 0) throw new Error(`${command[0]} exited with ${code}.`);
  return output;
}
