// Reads a command line by the options a command declares. Errors suggest what was probably meant.
import { parseArgs } from "node:util";
import { type Arguments, type Command, type Option, type Options, UsageError } from "./command.js";
import { suggestion } from "./nearest.js";

const helpOptions = {
  help: { type: "boolean", short: "h", description: "show this" },
  "help-all": { type: "boolean", description: "show every option" },
} as const satisfies Options;

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

/** How much help was asked for. */
export type Help = "none" | "usual" | "all";

/** The values and positionals of a command line. */
export function parseArguments(
  command: Command,
  argv: readonly string[],
): Arguments & { readonly help: Help } {
  const options: Options = { ...command.options, ...helpOptions };
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type, short }]) => [name, { type, ...(short ? { short } : {}) }]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const values: Record<string, string | boolean> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    else if (token.kind === "option") {
      const [name, value] = optionOf(token, options);
      values[name] = value;
    }
  }
  const help = values["help-all"] === true ? "all" : values["help"] === true ? "usual" : "none";
  if (help === "none") checkPositionals(command, positionals);
  return { values, positionals, help };
}

function optionOf(token: OptionToken, options: Options): [name: string, value: string | boolean] {
  const negated = token.name.startsWith("no-") ? token.name.slice(3) : "";
  if (Object.hasOwn(options, negated) && options[negated]?.type === "boolean") return [negated, false];
  const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
  if (!option) throw unknownOption(token, options);
  if (option.type === "boolean") return [token.name, flag(token)];
  return [token.name, text(token, option)];
}

function unknownOption({ name, rawName }: OptionToken, options: Options): UsageError {
  const long = rawName.startsWith("--");
  const meant = long ? suggestion(name, Object.keys(options), "--") : "";
  return new UsageError(`unknown option ${rawName}${meant || "; --help lists the options"}`);
}

/** Flags may be written `--flag`, `--no-flag` and `--flag=true|false`. */
function flag({ rawName, value }: OptionToken): boolean {
  if (value === undefined || value === "true") return true;
  if (value === "false") return false;
  throw new UsageError(`${rawName}=${value}: true or false is needed`);
}

function text({ rawName, value, inlineValue }: OptionToken, { choices }: Option): string {
  if (value === undefined) throw new UsageError(`${rawName} needs a value`);
  if (!inlineValue && value.length > 1 && value.startsWith("-"))
    throw new UsageError(
      `${rawName} needs a value; one that begins with a dash is written ${rawName}=${value}`,
    );
  if (choices && !choices.includes(value))
    throw new UsageError(
      `${rawName} ${value}: one of ${choices.join(", ")} is needed${suggestion(value, choices)}`,
    );
  return value;
}

function checkPositionals({ positionals }: Command, given: readonly string[]): void {
  const most = positionals ? (positionals.most ?? Number.POSITIVE_INFINITY) : 0;
  const [extra] = given.slice(most);
  if (extra !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(extra)}`);
  if (given.length < (positionals?.least ?? 0)) throw new UsageError(`${positionals?.usage} is missing`);
  for (const value of given) {
    const choices = positionals?.choices;
    if (choices && !choices.includes(value))
      throw new UsageError(`${value}: one of ${choices.join(", ")} is needed${suggestion(value, choices)}`);
  }
}
