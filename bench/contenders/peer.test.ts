import { describe, expect, test } from "bun:test";
import { peerContender, readPeers } from "./peer.ts";

describe("--peer", () => {
  test("names a gateway, and optionally its key, model and process", () => {
    expect(readPeers(["other=http://127.0.0.1:4000/v1/,key=sk-1=2,model=m-{kind},pid=77"])).toEqual([
      { name: "other", port: 4000, prefix: "/v1", key: "sk-1=2", model: "m-{kind}", pid: 77 },
    ]);
    expect(readPeers(["other=http://localhost"])).toEqual([
      { name: "other", port: 80, prefix: "", key: "sk-bench", model: "bench-{kind}", pid: null },
    ]);
  });

  test.each([
    ["other", '"other" is not of the form NAME=URL'],
    ["other=", "is not of the form NAME=URL"],
    ["=http://127.0.0.1:1", 'the name "" is not 1 to 32 letters'],
    ["a b=http://127.0.0.1:1", 'the name "a b" is not 1 to 32 letters'],
    ["nginx=http://127.0.0.1:1", '"nginx" is the benchmark\'s own'],
    ["before=http://127.0.0.1:1", '"before" is the benchmark\'s own'],
    ["other=https://127.0.0.1:1", "is not an http:// URL"],
    ["other=4000", "is not an http:// URL"],
    ["other=http://example.com/v1", '"example.com" is not this machine'],
    ["other=http://127.0.0.1:1/?x=1", "has a query"],
    ["other=http://127.0.0.1:1,pid=0", 'pid "0" is not a process id'],
    ["other=http://127.0.0.1:1,pid=", "pid is empty"],
    ["other=http://127.0.0.1:1,keys=1", '"keys" is not one of key, model, pid'],
    ["other=http://127.0.0.1:1,key=1,key=2", "key is given twice"],
  ])("refuses %s", (word, message) => {
    expect(() => readPeers([word])).toThrow(message);
  });

  test("refuses a name given twice", () => {
    expect(() => readPeers(["a=http://127.0.0.1:1", "a=http://127.0.0.1:2"])).toThrow('"a" is given twice');
  });

  test("is asked for each kind of answer by path and model", () => {
    const [peer] = readPeers(["other=http://127.0.0.1:4000/{kind}/v1,key=sk-1"]);
    if (peer === undefined) throw new Error("no peer");
    const call = peerContender(peer).call("burst");
    expect(call).toMatchObject({ port: 4000, path: "/burst/v1/chat/completions" });
    expect(call.headers).toMatchObject({ authorization: "Bearer sk-1" });
    expect(JSON.parse(call.body)).toMatchObject({ model: "bench-burst", stream: true });
  });
});
