// A program of a simulated container: where it runs, and the pauses it makes on its way.
import type { FileTree } from "./file-tree.js";

/** The pause of a program: for a time, or for input. */
export type Pause =
  | { readonly kind: "sleep"; readonly milliseconds: number }
  /** Answered with the next bytes, or with undefined at the end of the input. */
  | { readonly kind: "read" };

/** A program under way; it ends with its exit code. */
export type Steps = Generator<Pause, number, Uint8Array | undefined>;

/** Where a program runs. */
export interface ProgramContext {
  readonly files: FileTree;
  readonly hostname: string;
  readonly user: ProgramUser;
  readonly variables: ReadonlyMap<string, string>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Rows and columns of the terminal, where there is one. */
  terminal(): { readonly rows: number; readonly columns: number } | undefined;
  stdout(output: string | Uint8Array): void;
  stderr(output: string | Uint8Array): void;
  /** The piped or redirected input of the program; undefined when it reads the terminal. */
  readonly input: Uint8Array | undefined;
}

/** The numbers of the user that a program runs as, and of its groups. */
export interface ProgramUser {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** The program is unknown to the simulation. */
export class UnknownProgramError extends Error {
  override readonly name = "UnknownProgramError";
  readonly program: string;

  constructor(program: string) {
    super(`${program} is not known`);
    this.program = program;
  }
}
