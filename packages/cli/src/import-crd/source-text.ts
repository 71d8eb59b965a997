// JavaScript as text: literals and objects, short ones on one line.

const identifier = /^[A-Za-z_$][\w$]*$/;
const width = 100;

/** A key of an object literal; `__proto__` must be computed to be a key like any other. */
export function keyText(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return identifier.test(name) ? name : JSON.stringify(name);
}

/** A JSON value as a literal. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return listText(value.map(literal));
  if (typeof value === "object" && value !== null)
    return objectText(Object.entries(value).map(([key, field]) => [key, literal(field)]));
  return JSON.stringify(value) ?? "undefined";
}

/** An object literal of texts. */
export function objectText(members: readonly (readonly [key: string, text: string])[]): string {
  if (members.length === 0) return "{}";
  return enclosed(
    "{",
    members.map(([key, text]) => `${keyText(key)}: ${text}`),
    "}",
  );
}

/** A list literal of texts. */
export function listText(items: readonly string[]): string {
  return items.length === 0 ? "[]" : enclosed("[", items, "]");
}

function enclosed(open: string, parts: readonly string[], close: string): string {
  const space = open === "{" ? " " : "";
  const line = `${open}${space}${parts.join(", ")}${space}${close}`;
  if (line.length <= width && !line.includes("\n")) return line;
  return `${open}\n${parts.map((part) => `${indent(part)},`).join("\n")}\n${close}`;
}

/** Every line two spaces further in. No literal holds a line break, so none is changed by it. */
const indent = (text: string): string => text.replace(/^(?=.)/gm, "  ");
