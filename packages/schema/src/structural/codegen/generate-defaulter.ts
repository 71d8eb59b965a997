// Filling in defaults with generated code: setting a field by its name in the code is several times faster than by a name in
// a variable. What is unusual goes the general way.
import { DefaultAllowance, fillInDefaults } from "../defaults.js";
import { cloneJson } from "../json-value.js";
import type { SchemaNode } from "../schema-node.js";
import { number, Source, text } from "./source.js";

/** Fills in the defaults of a value, in place. */
export type Defaulter = (value: unknown) => void;

/** Generates the defaulter of a schema. */
export function generateDefaulter(node: SchemaNode): Defaulter {
  const general: Defaulter = (value) => fillInDefaults(value, node);
  if (!node.hasDefaults) return () => {};
  try {
    const allowance = new DefaultAllowance();
    const defaulter = new DefaulterWriter(allowance).write(node);
    if (!isDefaulter(defaulter)) return general;
    return (value) => {
      allowance.reset();
      defaulter(value);
    };
  } catch (error) {
    if (error instanceof EvalError) return general;
    throw error;
  }
}

const isDefaulter = (value: unknown): value is Defaulter => typeof value === "function";

/** So many defaults get code; those of larger schemas are filled in the general way. */
const mostDefaults = 2_000;

class DefaulterWriter {
  readonly #source = new Source();
  readonly #allowance: DefaultAllowance;
  #defaults = 0;

  constructor(allowance: DefaultAllowance) {
    this.#allowance = allowance;
  }

  write(node: SchemaNode): unknown {
    return this.#source.compile(this.#source.define(this.#fill(node, "v")));
  }

  /** Code that fills in the defaults of `x`, whatever it is. */
  #fill(node: SchemaNode, x: string): string {
    this.#defaults += node.defaults.length + node.defaultedBelow.length;
    if (this.#defaults > mostDefaults || isUnusual(node)) {
      const general = (value: unknown): void => fillInDefaults(value, node, this.#allowance);
      return `${this.#source.constant(general)}(${x});`;
    }
    if (node.items !== undefined) return this.#fillItems(node.items, x);
    const name = this.#source.define(this.#object(node));
    return `if(typeof ${x}==="object"&&${x}!==null&&!Array.isArray(${x}))${name}(${x});`;
  }

  #fillItems(items: SchemaNode, x: string): string {
    const each = this.#source.define(this.#fill(items, "v"));
    return `if(Array.isArray(${x}))for(let i=0;i<${x}.length;i++)${each}(${x}[i]);`;
  }

  #object(node: SchemaNode): string {
    const own = node.defaults.map(([name, child, value]) => {
      const key = `v[${text(name)}]`;
      const absent = child.nullable ? "x===undefined" : "x===undefined||x===null";
      return `x=${key};if(${absent}){n+=${number(child.defaultSize)};${key}=${this.#value(value)};}`;
    });
    const below = node.defaultedBelow.map(([name, child]) => `x=v[${text(name)}];${this.#fill(child, "x")}`);
    const counted = own.length === 0 ? "" : `if(n>0)${this.#source.constant(this.#allowance)}.take(n);`;
    return `let x,n=0;${own.join("")}${counted}${below.join("")}`;
  }

  #value(value: unknown): string {
    if (typeof value === "string") return text(value);
    if (typeof value === "number") return number(value);
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "object" && value !== null) {
      return `${this.#source.constant(cloneJson)}(${this.#source.constant(value)})`;
    }
    return String(value);
  }
}

/** Maps, lists with a default for null items, nodes that may be lists or objects, and names that every object inherits. */
function isUnusual(node: SchemaNode): boolean {
  const names = [...node.defaults, ...node.defaultedBelow].map(([name]) => name);
  return (
    typeof node.additionalProperties === "object" ||
    (node.items !== undefined && (node.items.default !== undefined || names.length > 0)) ||
    names.some((name) => name in Object.prototype)
  );
}
