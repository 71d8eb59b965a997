// TypeScript as text, written so that data stays data: the only way from a value to source is `literal`, which the `code` template
// calls for everything that is not code already.
import { UsageError } from "../command.js";

const identifierPattern = /^[A-Za-z_$][\w$]*$/;
const width = 100;

/** A piece of source. It is made by the functions of this module only. */
export class Code {
  readonly text: string;
  private constructor(text: string) {
    this.text = text;
  }

  /** Joins literal source and values; `code` is this function as a template tag. */
  static template(strings: readonly string[], values: readonly unknown[]): Code {
    return new Code(strings.reduce((text, next, index) => text + textOf(values[index - 1]) + next));
  }

  static literal(value: unknown): Code {
    return new Code(literalText(value));
  }

  static list(items: readonly Code[]): Code {
    return new Code(
      enclosed(
        "[",
        items.map(({ text }) => text),
        "]",
      ),
    );
  }

  static object(members: readonly Member[]): Code {
    return new Code(
      enclosed(
        "{",
        members.map(([key, { text }]) => `${keyText(key)}: ${text}`),
        "}",
      ),
    );
  }

  /** A name that is declared or imported. Anything else would be source of somebody else's. */
  static identifier(name: string): Code {
    if (!identifierPattern.test(name)) throw new UsageError(`${JSON.stringify(name)} is not an identifier`);
    return new Code(name);
  }

  /** A regular expression literal: the `source` of a RegExp is always a valid one. */
  static regex({ source }: RegExp): Code {
    return new Code(`/${source}/`);
  }

  /** A comment of one line, whatever the text holds. */
  static comment(text: string): Code {
    return new Code(`// ${text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")}`);
  }

  static join(pieces: readonly Code[], separator = ""): Code {
    return new Code(pieces.map(({ text }) => text).join(separator));
  }
}

/** A member of an object literal. */
export type Member = readonly [key: string, value: Code];

/** Source with values in it: `code\`.max(${schema.maximum})\``. Values that are not Code become literals. */
export const code = (strings: TemplateStringsArray, ...values: readonly unknown[]): Code =>
  Code.template(strings, values);

/** The source of a JSON value. Throws for what JSON has not, such as infinite numbers and dates. */
export const { literal, list, object, identifier, regex, comment, join } = Code;

const textOf = (value: unknown): string => (value instanceof Code ? value.text : literalText(value));

function literalText(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number" && Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  if (Array.isArray(value)) return enclosed("[", value.map(literalText), "]");
  if (isPlain(value))
    return enclosed(
      "{",
      Object.entries(value)
        .filter(([, field]) => field !== undefined)
        .map(([key, field]) => `${keyText(key)}: ${literalText(field)}`),
      "}",
    );
  throw new UsageError(`${String(value)} is not a JSON value`);
}

/** Line separators are escaped, although strings may hold them: nothing else may, and editors take them for lines. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");

/** `__proto__` must be computed to be a key like any other. */
function keyText(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return identifierPattern.test(name) ? name : quoted(name);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function enclosed(open: string, parts: readonly string[], close: string): string {
  if (parts.length === 0) return open + close;
  const space = open === "{" ? " " : "";
  const line = `${open}${space}${parts.join(", ")}${space}${close}`;
  if (line.length <= width && !line.includes("\n")) return line;
  return `${open}\n${parts.map((part) => `${indented(part)},`).join("\n")}\n${close}`;
}

/** Every line two spaces further in. No literal holds a line break, so none is changed by it. */
const indented = (text: string): string =>
  text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
