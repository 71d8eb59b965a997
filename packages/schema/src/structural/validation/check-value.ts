// Validates a value exactly as kube-openapi does, in its order and with its messages. Slow but complete; the generated checker decides the
// common case of a valid value.
import { deepEqual, type FieldError, fieldError, goJson, ownValue } from "@kubewright/api";
import { cloneJson, countKeys, isObject, type MutableObject } from "../json-value.js";
import { areUnique } from "../list-invariants.js";
import type { SchemaNode } from "../schema-node.js";
import { alternativeMatches, checkAlternatives, hasAlternatives } from "./check-alternatives.js";
import { checkNumber } from "./check-number.js";
import { checkString } from "./check-string.js";
import { checkNull, checkType } from "./check-type.js";
import type { Correlation } from "./correlation.js";
import { jsonTypeOf } from "./json-type.js";
import { errorLimit, FieldPaths, ValidationResult } from "./validation-result.js";

/** Options of checkValue. */
export interface CheckOptions {
  /** The field path of the value, when it is not the object itself. */
  readonly prefix?: string | undefined;
  /** The value before the update, when there is one. */
  readonly correlation?: Correlation | undefined;
}

/** The errors of a value. */
export function checkValue(node: SchemaNode, value: unknown, options: CheckOptions = {}): FieldError[] {
  const walk = new Walk(new FieldPaths(options.prefix));
  const result = walk.place(node, value, "", options.correlation);
  const errors = [...result.errors.values()];
  if (errors.length < errorLimit) return errors;
  return [
    ...errors,
    fieldError.internal(options.prefix ?? "<nil>", "there are more errors; these are the first"),
  ];
}

class Walk {
  readonly #fieldPaths: FieldPaths;

  constructor(fieldPaths: FieldPaths) {
    this.#fieldPaths = fieldPaths;
  }

  /** A value at a place of its own: errors are dropped when it is what it was before the update. */
  place(
    node: SchemaNode,
    value: unknown,
    path: string,
    correlation: Correlation | undefined,
  ): ValidationResult {
    const result = this.#check(node, value, path, correlation);
    if (result.valid || correlation === undefined) return result;
    if (!correlation.isUnchanged) return result;
    const ratcheted = new ValidationResult();
    ratcheted.matches = result.matches;
    return ratcheted;
  }

  #check(
    node: SchemaNode,
    value: unknown,
    path: string,
    correlation: Correlation | undefined,
  ): ValidationResult {
    const result = new ValidationResult();
    const actual = jsonTypeOf(value);
    if (actual.type === "null") {
      checkNull(node, path, result, this.#fieldPaths);
      this.#checkEnum(node, null, path, result);
      return result;
    }
    checkType(node, actual, path, result, this.#fieldPaths);
    const validates = (alternative: SchemaNode) => this.#check(alternative, value, path, undefined);
    if (hasAlternatives(node)) checkAlternatives(node, path, result, this.#fieldPaths, validates);
    result.matches += alternativeMatches;
    if (Array.isArray(value)) this.#checkItems(node, value, path, result, correlation);
    else this.#checkScalar(node, value, path, result);
    result.matches++;
    this.#checkEnum(node, value, path, result);
    if (isObject(value)) this.#checkObject(node, value, path, result, correlation);
    result.matches++;
    return result;
  }

  #checkScalar(node: SchemaNode, value: unknown, path: string, result: ValidationResult): void {
    if (typeof value === "string") checkString(node, value, path, result, this.#fieldPaths);
    else if (typeof value === "number" || typeof value === "bigint")
      checkNumber(node, value, path, result, this.#fieldPaths);
  }

  #checkEnum(node: SchemaNode, value: unknown, path: string, result: ValidationResult): void {
    if (node.enum === undefined || node.enum.some((allowed) => isAllowed(allowed, value))) return;
    const texts = node.enum.map((allowed) => (typeof allowed === "string" ? allowed : goJson(allowed)));
    const text = `${path} in body should be one of [${texts.join(" ")}]`;
    result.add(text, fieldError.notSupported(this.#fieldPaths.field(path), cloneJson(value, true), texts));
  }

  #checkItems(
    node: SchemaNode,
    items: readonly unknown[],
    path: string,
    result: ValidationResult,
    correlation: Correlation | undefined,
  ): void {
    const size = items.length;
    if (node.items !== undefined) this.#checkEach(node.items, items, path, result, correlation);
    if (node.minItems !== undefined && size < node.minItems) {
      this.#fieldPaths.invalid(result, path, size, `should have at least ${node.minItems} items`);
    }
    if (node.maxItems !== undefined && size > node.maxItems) {
      const text = `${path} in body should have at most ${node.maxItems} items`;
      result.add(text, fieldError.tooMany(this.#fieldPaths.field(path), size, node.maxItems));
    }
    if (node.uniqueItems && !areUnique(items)) {
      this.#fieldPaths.invalid(result, path, undefined, "shouldn't contain duplicates");
    }
    result.matches += 2;
  }

  #checkEach(
    node: SchemaNode,
    items: readonly unknown[],
    path: string,
    result: ValidationResult,
    correlation: Correlation | undefined,
  ): void {
    for (let i = 0; i < items.length && result.errors.size < errorLimit; i++) {
      result.merge(this.place(node, items[i], `${path}[${i}]`, correlation?.index(i)));
    }
  }

  #checkObject(
    node: SchemaNode,
    object: MutableObject,
    path: string,
    result: ValidationResult,
    correlation: Correlation | undefined,
  ): void {
    result.matches++;
    this.#checkSize(node, object, path, result);
    const before = (field: string): Correlation | undefined =>
      path === "" && (field === "kind" || field === "apiVersion") ? undefined : correlation?.key(field);
    this.#checkOthers(node, object, path, result, before);
    for (const name of namesToCheck(node, object)) {
      const child = node.properties.get(name);
      const value = ownValue(object, name);
      if (child === undefined || value === undefined) continue;
      result.merge(this.place(child, value, path === "" ? name : `${path}.${name}`, before(name)));
    }
    for (const name of node.required) {
      if (result.errors.size >= errorLimit) break;
      if (ownValue(object, name) !== undefined) continue;
      const place = `${path}.${name}`;
      result.add(`${place} in body is required`, fieldError.required(this.#fieldPaths.field(place)));
    }
  }

  #checkSize(node: SchemaNode, object: MutableObject, path: string, result: ValidationResult): void {
    const { minProperties, maxProperties } = node;
    if (minProperties === undefined && maxProperties === undefined) return;
    const size = countKeys(object);
    if (minProperties !== undefined && size < minProperties) {
      this.#fieldPaths.invalid(result, path, size, `should have at least ${minProperties} properties`);
    }
    if (maxProperties !== undefined && size > maxProperties) {
      const text = `${path} in body should have at most ${maxProperties} properties`;
      result.add(text, fieldError.tooMany(this.#fieldPaths.field(path), size, maxProperties));
    }
  }

  /** Fields that are not declared one by one. */
  #checkOthers(
    node: SchemaNode,
    object: MutableObject,
    path: string,
    result: ValidationResult,
    before: (field: string) => Correlation | undefined,
  ): void {
    const others = node.additionalProperties;
    if (others === undefined || others === true) return;
    for (const key of Object.keys(object)) {
      if (object[key] === undefined || node.properties.has(key) || result.errors.size >= errorLimit) continue;
      if (others !== false) result.merge(this.place(others, object[key], `${path}.${key}`, before(key)));
      else {
        const text = `${path}.${key} in body is a forbidden property`;
        result.add(text, fieldError.invalid(this.#fieldPaths.field(path), key, text));
      }
    }
  }
}

/** A schema may declare thousands of properties, and a list hold thousands of objects that have a few of them each. */
const manyProperties = 64;

/** Names of which some are declared and some are there, as few as may be. */
const namesToCheck = ({ properties }: SchemaNode, object: MutableObject): Iterable<string> =>
  properties.size > manyProperties ? Object.keys(object) : properties.keys();

/** Go converts a value to the type of what it compares it with: a fraction is cut off beside an integer. */
const isAllowed = (allowed: unknown, value: unknown): boolean =>
  deepEqual(allowed, value) ||
  (typeof allowed === "number" &&
    Number.isInteger(allowed) &&
    typeof value === "number" &&
    Math.trunc(value) === allowed);
