// A command: its options are declared once, for parsing and for --help.
import { type ParseArgsConfig, parseArgs } from "node:util";

export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string | undefined;
  /** What stands for the value in --help. */
  readonly value?: string | undefined;
  readonly description: string;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly example: string;
  readonly options: Readonly<Record<string, Option>>;
  run(arguments_: Arguments): Promise<number>;
}

export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

/** The user asked for something that cannot be; the message says what and the exit status is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export function parseArguments(command: Command, argv: readonly string[]): Arguments {
  const options: NonNullable<ParseArgsConfig["options"]> = { help: { type: "boolean", short: "h" } };
  for (const [name, { type, short }] of Object.entries(command.options)) {
    options[name] = { type, ...(short ? { short } : {}) };
  }
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
      strict: true,
    });
    return { values: values as Arguments["values"], positionals };
  } catch (error) {
    const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw new UsageError(line);
  }
}

/** The text of `kubewright COMMAND --help`. */
export function helpOf(command: Command): string {
  const rows = Object.entries(command.options).map(([name, { value, description, short }]) => {
    const flag = `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`;
    return `  ${flag.padEnd(28)}${description}`;
  });
  return [
    `${command.summary}`,
    "",
    `Usage: kubewright ${command.name} [options]`,
    "",
    "Options:",
    ...rows,
    "",
    "Example:",
    `  ${command.example}`,
  ].join("\n");
}
