import { expect, test } from "bun:test";
import { readGarbage } from "./garbage.ts";

const log = `{"level":"info","message":"listening"}
[GC<0x5c75c59c118>: starting 0.957526ms]
[GC<0x5c75c59c118>: START M 1497kb => FullCollection, a=0kb hf=0.000 (C:0 M:0 P1:0) 457+0 p=1.316455ms (max 1.316455)...]
[GC<0x5c75c59c118>: M a=0kb mu=0.600 v=753kb => 812kb, p=0.559724ms (max 1.316455), cycle 2.198060ms END]
GC END!
[GC<0x5c75c59c118>: Full sweep: 1555kb => 1363kb, 0.150390ms]
`;

test("collections are read from the engine's log lines", () => {
  const { collections, pauses, milliseconds, longest } = readGarbage(log);
  expect({ collections, pauses, longest }).toEqual({ collections: 1, pauses: 2, longest: 1.316455 });
  expect(milliseconds).toBeCloseTo(1.876179);
});

test("a log without such lines has no collections", () => {
  expect(readGarbage('{"message":"p=q"}\n')).toEqual({ collections: 0, pauses: 0, milliseconds: 0, longest: 0 });
});
