// Most objects are valid and have nothing to prune. A function that is generated from the schema finds that out in one pass without
// allocating. It never returns true wrongly: where it cannot decide it returns false, and the complete check decides.
import { ownValue } from "@kubewright/api";
import { countKeys } from "../json-value.js";
import { metaFields } from "../prune.js";
import type { SchemaNode } from "../schema-node.js";
import { checkValue } from "../validation/check-value.js";
import { enumFailure, numberFailures, stringFailures } from "./scalar-code.js";
import { always, either, never, number, Source, text } from "./source.js";
import { isUniqueMap, isUniqueSet } from "./unique.js";

/** True when a value is valid, holds no unknown field and no null that would be dropped. */
export type Checker = (value: unknown) => boolean;

/** The number of nodes in one generated function; code for objects beyond it is generated when the first of them is validated. */
const pieceSize = 600;

/** Objects with more properties are left to the complete check: a function that long takes longer to compile than it saves. */
const mostProperties = 600;

/** The number of alternatives that get code; more are left to the complete check. */
const mostAlternatives = 100;

/** Generates the checker of a schema; undefined when there cannot be one. `resource`: values are whole objects. */
export function generateChecker(node: SchemaNode, resource: boolean): Checker | undefined {
  return compiled(() => new CheckerWriter().write(node, resource));
}

function compiled(write: () => unknown): Checker | undefined {
  try {
    const checker = write();
    return isChecker(checker) ? checker : undefined;
  } catch (error) {
    // Where code generation from strings is disabled, the complete check does the work.
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}

/** A checker of objects that is generated when it is first called. */
function laterChecker(node: SchemaNode, mode: Mode): Checker {
  let checker: Checker | undefined;
  return (value) => {
    checker ??= compiled(() => new CheckerWriter().writeObject(node, mode)) ?? (() => false);
    return checker(value);
  };
}

const isChecker = (value: unknown): value is Checker => typeof value === "function";

/** Whether unknown fields matter: they do in the structure, they do not in alternatives and metadata. */
type Mode = "structure" | "alternative";

class CheckerWriter {
  readonly #source = new Source();
  #nodes = 0;

  write(node: SchemaNode, resource: boolean): unknown {
    const body = `return !(${this.#failure(node, "v", "structure", resource)});`;
    return this.#source.compile(this.#source.define(body));
  }

  writeObject(node: SchemaNode, mode: Mode): unknown {
    return this.#source.compile(this.#object(node, mode, false));
  }

  get #isFull(): boolean {
    return this.#nodes > pieceSize;
  }

  /** The condition under which `v` fails, or the complete check has to decide. */
  #failure(node: SchemaNode, v: string, mode: Mode, resource = false): string {
    this.#nodes += 1;
    if (node.embeddedResource && mode === "structure") return always;
    const failure = either([
      this.#typeFailure(node, v, mode, resource),
      ...(node.enum === undefined ? [] : [enumFailure(node.enum, v, this.#source)]),
      ...this.#alternativeFailures(node, v),
    ]);
    if (!node.nullable) return failure;
    const nullFails = node.enum !== undefined && !node.enum.includes(null);
    return `${v}===null?${nullFails ? always : never}:(${failure})`;
  }

  #typeFailure(node: SchemaNode, v: string, mode: Mode, resource: boolean): string {
    const strings = either(stringFailures(node, v, this.#source));
    const numbers = either(numberFailures(node, v, this.#source));
    if (node.intOrString)
      return `typeof ${v}==="string"?(${strings}):(!Number.isSafeInteger(${v})||(${numbers}))`;
    switch (node.types[0]) {
      case "string":
        return either([`typeof ${v}!=="string"`, strings]);
      case "integer":
        return either([`!Number.isSafeInteger(${v})`, numbers]);
      case "number":
        return either([`!Number.isFinite(${v})`, numbers]);
      case "boolean":
        return `typeof ${v}!=="boolean"`;
      case "array":
        return `!Array.isArray(${v})||!${this.#list(node, mode)}(${v})`;
      case "object":
        return `typeof ${v}!=="object"||${v}===null||Array.isArray(${v})||!${this.#object(node, mode, resource)}(${v})`;
      case undefined:
        return node.format === "" ? this.#anyFailure(node, v, mode, strings, numbers) : always;
      default:
        return always;
    }
  }

  /** A node without a type: each keyword applies to the values it is for. */
  #anyFailure(node: SchemaNode, v: string, mode: Mode, strings: string, numbers: string): string {
    const lists = `!${this.#list(node, mode)}(${v})`;
    const objects = `!${this.#object(node, mode, false)}(${v})`;
    return (
      `typeof ${v}==="string"?(${strings}):typeof ${v}==="number"?(!Number.isFinite(${v})||(${numbers})):` +
      `Array.isArray(${v})?${lists}:typeof ${v}==="object"&&${v}!==null?${objects}:typeof ${v}!=="boolean"&&${v}!==null`
    );
  }

  #alternativeFailures(node: SchemaNode, v: string): string[] {
    const fails = (alternative: SchemaNode): string =>
      this.#isFull ? always : `(${this.#failure(alternative, v, "alternative")})`;
    const { allOf, anyOf, oneOf } = node;
    if (allOf.length + anyOf.length + oneOf.length > mostAlternatives) return [always];
    const failures = allOf.map(fails);
    if (node.anyOf.length > 0 && !(node.intOrString && isIntOrString(node.anyOf))) {
      failures.push(node.anyOf.map(fails).join("&&"));
    }
    // Here "cannot decide" must not count as "fails", so these alternatives get the complete check.
    const valid = (alternative: SchemaNode): string => this.#source.constant(isValidFor(alternative));
    if (node.oneOf.length > 0)
      failures.push(`${node.oneOf.map((one) => `(${valid(one)}(${v})?1:0)`).join("+")}!==1`);
    if (node.not !== undefined) failures.push(`${valid(node.not)}(${v})`);
    return failures;
  }

  /** A function that says whether the list `v` is fine. */
  #list(node: SchemaNode, mode: Mode): string {
    const { minItems, maxItems, items } = node;
    const checks: string[] = [];
    if (minItems !== undefined) checks.push(`if(v.length<${number(minItems)})return false;`);
    if (maxItems !== undefined) checks.push(`if(v.length>${number(maxItems)})return false;`);
    const pruned = mode === "structure";
    if (items !== undefined && pruned && node.preserveUnknownFields)
      checks.push("if(v.length>0)return false;");
    else if (items !== undefined)
      checks.push(this.#each("let i=0;i<v.length;i++", "i", this.#failure(items, "x", mode)));
    else if (pruned && !node.preserveUnknownFields)
      checks.push(this.#each("let i=0;i<v.length;i++", "i", 'typeof x==="object"'));
    if (node.uniqueItems || (pruned && node.listType === "set")) {
      checks.push(`if(!${this.#source.constant(isUniqueSet)}(v))return false;`);
    }
    if (pruned && node.listType === "map") {
      const keys = this.#source.constant(node.listMapKeys);
      const unique = `${this.#source.constant(isUniqueMap)}(v,${keys})`;
      checks.push(`if(!${unique})return false;`);
    }
    return this.#source.define(`${checks.join("")}return true;`);
  }

  #each(loop: string, key: string, failure: string): string {
    return `for(${loop}){const x=v[${key}];if(x===undefined||(${failure}))return false;}`;
  }

  /** A function that says whether the object `v` is fine. */
  #object(node: SchemaNode, mode: Mode, resource: boolean): string {
    if (this.#isFull && !resource) return this.#source.constant(laterChecker(node, mode));
    if (node.properties.size > mostProperties || node.required.length > mostProperties)
      return this.#source.define("return false;");
    const required = new Set(node.required);
    const checks = [
      ...[...node.properties].map(([name, child]) => {
        const missing = required.has(name) ? "else return false;" : "";
        return (
          this.#property(name, child, resource && metaFields.has(name) ? "alternative" : mode, mode) + missing
        );
      }),
      ...node.required.filter((name) => !node.properties.has(name)).map((name) => this.#presence(name)),
      ...(resource
        ? [...metaFields].filter((name) => !node.properties.has(name)).map((name) => this.#known(name))
        : []),
      this.#otherFields(node, mode),
      this.#size(node),
    ];
    return this.#source.define(`let n=0,x;${checks.join("")}return true;`);
  }

  /** `mode` is that of the property, `around` that of the object it is in. */
  #property(name: string, child: SchemaNode, mode: Mode, around: Mode): string {
    const failure = this.#failure(child, "x", mode);
    const dropped = around === "structure" && !child.nullable ? "x===null||" : "";
    return `x=${this.#read(name)};if(x!==undefined){if(${dropped}(${failure}))return false;n++;}`;
  }

  #presence(name: string): string {
    return `if(${this.#read(name)}===undefined)return false;`;
  }

  #known(name: string): string {
    return `if(${this.#read(name)}!==undefined)n++;`;
  }

  /** Names that every object inherits are read with care. */
  #read(name: string): string {
    if (!(name in Object.prototype)) return `v[${text(name)}]`;
    return `${this.#source.constant(ownValue)}(v,${text(name)})`;
  }

  #otherFields(node: SchemaNode, mode: Mode): string {
    const others = node.additionalProperties;
    if (typeof others === "object") return this.#map(node, others, mode);
    if (mode === "alternative") return others === false ? "return false;" : "";
    if (node.preserveUnknownFields && others === undefined) return "";
    return "for(const k in v)n--;if(n!==0)return false;";
  }

  #map(node: SchemaNode, others: SchemaNode, mode: Mode): string {
    const dropped = mode === "structure" && !others.nullable ? "x===null||" : "";
    const failure = `${dropped}(${this.#failure(others, "x", mode)})`;
    if (node.properties.size === 0) return this.#each("const k in v", "k", failure);
    const known = this.#source.constant(node.properties);
    return `for(const k in v){if(${known}.has(k))continue;const x=v[k];if(x===undefined||${failure})return false;}`;
  }

  #size({ minProperties, maxProperties }: SchemaNode): string {
    if (minProperties === undefined && maxProperties === undefined) return "";
    const size = `${this.#source.constant(countKeys)}(v)`;
    const failures = [
      ...(minProperties === undefined ? [] : [`${size}<${number(minProperties)}`]),
      ...(maxProperties === undefined ? [] : [`${size}>${number(maxProperties)}`]),
    ];
    return `if(${failures.join("||")})return false;`;
  }
}

const isValidFor =
  (node: SchemaNode) =>
  (value: unknown): boolean =>
    checkValue(node, value).length === 0;

/** The alternatives that every int-or-string satisfies. */
function isIntOrString(alternatives: readonly SchemaNode[]): boolean {
  const bare = alternatives.every((one) => one.types.length === 1 && isBareType(one));
  return (
    bare &&
    alternatives
      .map((one) => one.types[0])
      .sort()
      .join() === "integer,string"
  );
}

function isBareType(node: SchemaNode): boolean {
  const { types, properties, required, allOf, anyOf, oneOf, ...rest } = node;
  const empty = [properties.size, required.length, allOf.length, anyOf.length, oneOf.length].every(
    (size) => size === 0,
  );
  return types.length === 1 && empty && Object.values(rest).every((value) => isUnset(value));
}

const isUnset = (value: unknown): boolean =>
  value === undefined || value === false || value === "" || (Array.isArray(value) && value.length === 0);
