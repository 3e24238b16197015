import type { DialectName } from "../test/dialects/names.testkit.ts";
import type { ProgramOptions, ProgramOutput } from "./program.ts";
import type { TestRecord } from "../test/gateway.testkit.ts";
import type { Script } from "../src/sandbox/server.ts";

/** A real client of the suite: `clients/<name>/client.ts` exports one as `client`. */
export interface Client {
  /** On the command line, and the folder's name. */
  readonly name: string;
  /** In the table. */
  readonly title: string;
  /** Installs the pinned version into the folder, which is kept between runs, or reads the version that is there. */
  install(folder: string): Promise<Installed>;
  /** Run one after another at a provider of each dialect. */
  readonly cases: readonly Case[];
}

export interface Installed {
  readonly folder: string;
  readonly version: string;
}

export interface Case {
  readonly name: string;
  /** Why the case does not apply, at all providers or at those of these dialects. */
  readonly skip?: string | Readonly<Partial<Record<DialectName, string>>>;
  /** Default: 120,000 */
  readonly limitMs?: number;
  /** Runs the client and checks its result. Throws if it is wrong. */
  run(cell: Cell): Promise<void>;
}

/** One case of one client at a provider of one dialect, with a key, a model and a home directory of its own. */
export interface Cell {
  readonly installed: Installed;
  /** The dialect of the provider. */
  readonly dialect: DialectName;
  /** A model at that provider. */
  readonly model: string;
  /** The gateway's address, without a path. */
  readonly url: string;
  readonly key: string;
  /** An empty folder: the home and working directory of the programs that the case runs. */
  readonly folder: string;
  /** Aborted when the time of the case is over. */
  readonly signal: AbortSignal;
  /** A prompt that makes the provider follow a script, with the counts that `expectCharges` checks. */
  prompt(words: string, script?: Script): string;
  /** Runs a program in the folder, without the user's environment and without access to other hosts. */
  run(command: readonly string[], options?: ProgramOptions): Promise<ProgramOutput>;
  /** Runs a server in the same way while `use` runs, which is called once the address answers. */
  withServer<Result>(
    command: readonly string[],
    url: string,
    options: ProgramOptions,
    use: () => Promise<Result>,
  ): Promise<Result>;
  /**
   * A block of docs/clients.md, with this gateway's address, the key and the model in place of the examples.
   * @param heading the heading of the section
   * @param label the file that the block is for, or its language if it is for none
   */
  settings(heading: string, label: string): Promise<string>;
  /** Adds the section `routes` of a configuration to the gateway, or replaces routes of the same names. */
  putRoutes(yaml: string): Promise<void>;
  /** The records of all requests so far, oldest first, once every request has ended. */
  records(): Promise<readonly TestRecord[]>;
  /**
   * Checks that all requests so far succeeded and were charged, and that so many of them followed the script and have
   * its counts and its price to the micro-dollar. Other requests, such as those for a title, may have others.
   * @param refused how many were refused, without a charge. Default: 0
   */
  expectCharges(scripted: number, refused?: number): Promise<void>;
}

/** Thrown by a case, or by an installation, that cannot be run here. */
export class Skip extends Error {}
