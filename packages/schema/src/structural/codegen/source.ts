// The pieces of generated code. Everything that comes from a schema enters as a JSON literal or as a captured constant,
// never as code.

/** Collects functions and constants while code is written. */
export class Source {
  readonly #functions: string[] = [];
  readonly #constants: unknown[] = [];
  readonly #names = new Map<unknown, string>();

  /** The name under which a value is at hand in the code. */
  constant(value: unknown): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const name = `c${this.#constants.length}`;
    this.#constants.push(value);
    this.#names.set(value, name);
    return name;
  }

  /** Adds a function of one value `v`; returns its name. */
  define(body: string): string {
    const name = `f${this.#functions.length}`;
    this.#functions.push(`function ${name}(v){${body}}`);
    return name;
  }

  /** Compiles everything; the result is the function with that name. */
  compile(name: string): unknown {
    const constants = this.#constants.map((_, index) => `const c${index}=constants[${index}];`).join("");
    const code = `"use strict";${constants}${this.#functions.join("\n")}\nreturn ${name};`;
    return new Function("constants", code)(this.#constants);
  }
}

/** A string as code. */
export const text = (value: string): string => JSON.stringify(value).replace(/[\u2028\u2029<]/g, escaped);

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A number as code; what is no JSON number never holds in a comparison. */
export const number = (value: number): string => {
  if (Object.is(value, -0)) return "(-0)";
  return Number.isFinite(value) ? `(${String(value)})` : "NaN";
};

/** Conditions of which one is enough; empty means never. */
export function either(conditions: readonly string[]): string {
  const possible = conditions.filter((condition) => condition !== never);
  if (possible.includes(always)) return always;
  return possible.length === 0 ? never : possible.map((condition) => `(${condition})`).join("||");
}

/** The condition that holds. */
export const always = "true";
/** The condition that does not hold. */
export const never = "false";
