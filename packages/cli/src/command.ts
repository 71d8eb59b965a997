// A command: its options are declared once, for parsing, for the types of their values, for --help and for completion.

/** An option of a command. */
export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string | undefined;
  /** What stands for the value in --help. */
  readonly value?: string | undefined;
  readonly description: string;
  /** The only values there are. */
  readonly choices?: readonly string[] | undefined;
  /** Whether only --help-all shows the option. Default: false. */
  readonly advanced?: boolean | undefined;
}

/** The options of a command by name. */
export type Options = Readonly<Record<string, Option>>;

/** What may follow the options. */
export interface Positionals {
  /** As --help shows it: `[dir]`, `FILE…`. */
  readonly usage: string;
  readonly least?: number | undefined;
  /** Default: any number. */
  readonly most?: number | undefined;
  readonly choices?: readonly string[] | undefined;
}

/** The values of options: flags are booleans, absent where not given. */
export type ValuesOf<O extends Options> = {
  readonly [Name in keyof O]?: ValueOf<O[Name]["type"]> | undefined;
};

/** Of a type not known, either. */
type ValueOf<Type extends Option["type"]> = Type extends "boolean" ? boolean : string;

/** What a command line says, parsed. */
export interface Arguments<O extends Options = Options> {
  readonly values: ValuesOf<O>;
  readonly positionals: readonly string[];
}

/** A command without its name and summary, which the registry holds so that `kubewright --help` loads no command. */
export interface Command<O extends Options = Options> {
  readonly example: string;
  /** What --help says below the summary. Default: nothing more. */
  readonly description?: string | undefined;
  readonly options: O;
  /** Default: none. */
  readonly positionals?: Positionals | undefined;
  /** Runs the command and returns the exit status. */
  run(arguments_: Arguments<O>): Promise<number>;
}

/** A command as the list of commands has it. */
export interface CommandEntry {
  /** One word, or two: `create api`. */
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
  readonly summary: string;
  /** The heading it stands under in --help. */
  readonly group: "Start" | "Generate" | "Run" | "More";
  load(): Promise<Command>;
}

/** Types the values that `run` receives by the options declared. */
export const defineCommand = <const O extends Options>(command: Command<O>): Command<O> => command;

/** Exit statuses, as --help documents them. */
export const exitStatus = { done: 0, failed: 1, usage: 2, problemsFound: 3, interrupted: 130 } as const;

/** The user asked for something that cannot be; the message says what and the exit status is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Somebody pressed Ctrl-C at a question; the exit status is 130. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}
