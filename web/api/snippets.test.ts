import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { requestSnippets } from "./snippets.ts";

const origin = "http://127.0.0.1:8787";
const codeOf = (body: Record<string, unknown> | FormData, path = "/v1/chat/completions") => {
  const [curl, python, typescript] = requestSnippets({ path, body }, "KEY", origin).map(({ text }) => text);
  return { curl: curl ?? "", python: python ?? "", typescript: typescript ?? "" };
};

/** What a shell gives to the program that it runs, one argument a line. */
function argumentsOf(command: string): string[] {
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${command}`;
  return Bun.spawnSync(["sh", "-c", script]).stdout.toString().split("\0").slice(0, -1);
}

describe("a request as code", () => {
  test("curl sends the same body, whatever stands in it", () => {
    const text = fc.string({ unit: "grapheme" }).filter((value) => !value.includes("\0"));
    fc.assert(
      fc.property(text, text, (prompt, name) => {
        const body = { model: name, messages: [{ role: "user", content: prompt }], stream: true };
        const args = argumentsOf(codeOf(body).curl);
        expect(JSON.parse(args.at(-1) ?? "")).toEqual(body);
        expect(args).toContain(`${origin}/v1/chat/completions`);
      }),
      { numRuns: 20 },
    );
  });

  test("Python writes its own words for true, false and null, and streams line by line", () => {
    const { python } = codeOf({ stream: true, store: false, user: null, tools: [], temperature: 0.5 });
    for (const line of ['"stream": True,', '"store": False,', '"user": None,', '"tools": [],', '"temperature": 0.5,']) {
      expect(python).toContain(line);
    }
    expect(python).toContain("for line in response:");
    expect(codeOf({ stream: false }).python).not.toContain("for line in response:");
  });

  test("sound goes into a file", () => {
    const { curl, python, typescript } = codeOf({ input: "Hello", response_format: "wav" }, "/v1/audio/speech");
    for (const text of [curl, python, typescript]) expect(text).toContain("speech.wav");
  });

  test("a word stands for a file within a body, and no other text is shortened", () => {
    const file = Buffer.alloc(900, 7).toString("base64");
    const prompt = "long words ".repeat(100);
    const { curl } = codeOf({ url: `data:image/png;base64,${file}`, data: file, prompt });
    expect(curl).toContain('"data:image/png;base64,BASE64_OF_THE_FILE"');
    expect(curl).toContain('"data": "BASE64_OF_THE_FILE"');
    expect(curl).toContain(prompt);
  });

  test("a form has its fields and the names of its files", () => {
    const form = new FormData();
    form.set("model", "a 'b'");
    form.set("file", new File(["x"], "my tone.wav"));
    const { curl, python, typescript } = codeOf(form, "/v1/audio/transcriptions");
    const args = argumentsOf(curl);
    expect(args).toContain("model=a 'b'");
    expect(args).toContain('file=@"my tone.wav"');
    expect(python).toContain('open("my tone.wav", "rb")');
    expect(typescript).toContain('form.set("file", await openAsBlob("my tone.wav"), "my tone.wav");');
  });
});
