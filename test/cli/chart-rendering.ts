// As much of Helm as our charts use: values, the release, conditions, texts, and a value as YAML on lines of its own. Anything else in
// braces is an error, as it would be a surprise.
import { stringifyYaml } from "@kubewright/machinery";

type Values = Readonly<Record<string, unknown>>;

/** What expressions see. */
export interface Release {
  readonly values: Values;
  readonly namespace: string;
}

/** The text of a template for a release; "" where its condition does not hold. */
export function renderTemplate(text: string, release: Release): string {
  const shown = text.replace(
    /^\{\{- if (\S+) \}\}\n([\s\S]*?)\{\{- end \}\}\n/gm,
    (_, condition: string, body: string) => (isTrue(valueAt(condition, release)) ? body : ""),
  );
  return shown.replace(
    /([ \n]*)\{\{(-?) *(.*?) *\}\}/g,
    (_, space: string, trim: string, expression: string) => {
      const result = evaluate(expression, release);
      return trim ? result : space + result;
    },
  );
}

/** Go templates take empty lists and maps for false. */
const isTrue = (value: unknown): boolean =>
  typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);

function evaluate(expression: string, release: Release): string {
  const [, text] = /^"([^"]*)"$/.exec(expression) ?? [];
  if (text !== undefined) return text;
  const [, path, indent] = /^toYaml (\.\S+) \| nindent (\d+)$/.exec(expression) ?? [];
  if (path !== undefined) {
    const lines = stringifyYaml(valueAt(path, release) ?? null)
      .replace(/\n$/, "")
      .split("\n");
    return lines.map((line) => `\n${" ".repeat(Number(indent))}${line}`).join("");
  }
  const value = valueAt(expression, release);
  if (value === undefined || typeof value === "object") throw new Error(`{{ ${expression} }} is not a text`);
  return String(value);
}

function valueAt(path: string, { values, namespace }: Release): unknown {
  if (path === ".Release.Namespace") return namespace;
  if (!/^\.Values(\.\w+)+$/.test(path)) throw new Error(`{{ ${path} }} is not understood`);
  return path
    .split(".")
    .slice(2)
    .reduce<unknown>(
      (at, name) => (typeof at === "object" && at !== null ? (at as Values)[name] : undefined),
      values,
    );
}
