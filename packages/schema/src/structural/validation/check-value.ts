// Validates a value exactly as kube-openapi does, in its order and with its words. Slow but complete; the generated checker
// decides the common case that nothing is wrong.
import { deepEqual, type FieldError, fieldError, goJson, ownValue } from "@kubewright/api";
import { cloneJson, countKeys, isObject, type MutableObject } from "../json-value.js";
import { areUnique } from "../list-invariants.js";
import type { SchemaNode } from "../schema-node.js";
import { alternativeMatches, checkAlternatives, hasAlternatives } from "./check-alternatives.js";
import { checkNumber } from "./check-number.js";
import { checkString } from "./check-string.js";
import { checkNull, checkType } from "./check-type.js";
import type { Correlation } from "./correlation.js";
import { errorLimit, Findings, Places } from "./findings.js";
import { jsonTypeOf } from "./json-type.js";

/** Where a value stands and what it replaces. */
export interface CheckOptions {
  /** Where the value stands in the object, when it is not the object itself. */
  readonly prefix?: string | undefined;
  /** The value before the update, when there is one. */
  readonly correlation?: Correlation | undefined;
}

/** What is wrong with a value. */
export function checkValue(node: SchemaNode, value: unknown, options: CheckOptions = {}): FieldError[] {
  const walk = new Walk(new Places(options.prefix));
  const findings = walk.place(node, value, "", options.correlation);
  const errors = [...findings.errors.values()];
  if (errors.length < errorLimit) return errors;
  return [
    ...errors,
    fieldError.internal(options.prefix ?? "<nil>", "there are more errors; these are the first"),
  ];
}

class Walk {
  readonly #places: Places;

  constructor(places: Places) {
    this.#places = places;
  }

  /** A value at a place of its own: errors are dropped when it is what it was before the update. */
  place(node: SchemaNode, value: unknown, path: string, correlation: Correlation | undefined): Findings {
    const findings = this.#check(node, value, path, correlation);
    if (findings.valid || correlation === undefined) return findings;
    if (!correlation.isUnchanged) return findings;
    const ratcheted = new Findings();
    ratcheted.matches = findings.matches;
    return ratcheted;
  }

  #check(node: SchemaNode, value: unknown, path: string, correlation: Correlation | undefined): Findings {
    const findings = new Findings();
    const actual = jsonTypeOf(value);
    if (actual.type === "null") {
      checkNull(node, path, findings, this.#places);
      this.#checkEnum(node, null, path, findings);
      return findings;
    }
    checkType(node, actual, path, findings, this.#places);
    const validates = (alternative: SchemaNode) => this.#check(alternative, value, path, undefined);
    if (hasAlternatives(node)) checkAlternatives(node, path, findings, this.#places, validates);
    findings.matches += alternativeMatches;
    if (Array.isArray(value)) this.#checkItems(node, value, path, findings, correlation);
    else this.#checkScalar(node, value, path, findings);
    findings.matches++;
    this.#checkEnum(node, value, path, findings);
    if (isObject(value)) this.#checkObject(node, value, path, findings, correlation);
    findings.matches++;
    return findings;
  }

  #checkScalar(node: SchemaNode, value: unknown, path: string, findings: Findings): void {
    if (typeof value === "string") checkString(node, value, path, findings, this.#places);
    else if (typeof value === "number" || typeof value === "bigint")
      checkNumber(node, value, path, findings, this.#places);
  }

  #checkEnum(node: SchemaNode, value: unknown, path: string, findings: Findings): void {
    if (node.enum === undefined || node.enum.some((allowed) => deepEqual(allowed, value))) return;
    const texts = node.enum.map((allowed) => (typeof allowed === "string" ? allowed : goJson(allowed)));
    const text = `${path} in body should be one of [${texts.join(" ")}]`;
    findings.add(text, fieldError.notSupported(this.#places.field(path), cloneJson(value, true), texts));
  }

  #checkItems(
    node: SchemaNode,
    items: readonly unknown[],
    path: string,
    findings: Findings,
    correlation: Correlation | undefined,
  ): void {
    const size = items.length;
    if (node.items !== undefined) this.#checkEach(node.items, items, path, findings, correlation);
    if (node.minItems !== undefined && size < node.minItems) {
      this.#places.invalid(findings, path, size, `should have at least ${node.minItems} items`);
    }
    if (node.maxItems !== undefined && size > node.maxItems) {
      const text = `${path} in body should have at most ${node.maxItems} items`;
      findings.add(text, fieldError.tooMany(this.#places.field(path), size, node.maxItems));
    }
    if (node.uniqueItems && !areUnique(items)) {
      this.#places.invalid(findings, path, undefined, "shouldn't contain duplicates");
    }
    findings.matches += 2;
  }

  #checkEach(
    node: SchemaNode,
    items: readonly unknown[],
    path: string,
    findings: Findings,
    correlation: Correlation | undefined,
  ): void {
    for (let i = 0; i < items.length && findings.errors.size < errorLimit; i++) {
      findings.merge(this.place(node, items[i], `${path}[${i}]`, correlation?.index(i)));
    }
  }

  #checkObject(
    node: SchemaNode,
    object: MutableObject,
    path: string,
    findings: Findings,
    correlation: Correlation | undefined,
  ): void {
    findings.matches++;
    this.#checkSize(node, object, path, findings);
    const before = (field: string): Correlation | undefined =>
      path === "" && (field === "kind" || field === "apiVersion") ? undefined : correlation?.key(field);
    this.#checkOthers(node, object, path, findings, before);
    for (const name of namesToCheck(node, object)) {
      const child = node.properties.get(name);
      const value = ownValue(object, name);
      if (child === undefined || value === undefined) continue;
      findings.merge(this.place(child, value, path === "" ? name : `${path}.${name}`, before(name)));
    }
    for (const name of node.required) {
      if (findings.errors.size >= errorLimit) break;
      if (ownValue(object, name) !== undefined) continue;
      const place = `${path}.${name}`;
      findings.add(`${place} in body is required`, fieldError.required(this.#places.field(place)));
    }
  }

  #checkSize(node: SchemaNode, object: MutableObject, path: string, findings: Findings): void {
    const { minProperties, maxProperties } = node;
    if (minProperties === undefined && maxProperties === undefined) return;
    const size = countKeys(object);
    if (minProperties !== undefined && size < minProperties) {
      this.#places.invalid(findings, path, size, `should have at least ${minProperties} properties`);
    }
    if (maxProperties !== undefined && size > maxProperties) {
      const text = `${path} in body should have at most ${maxProperties} properties`;
      findings.add(text, fieldError.tooMany(this.#places.field(path), size, maxProperties));
    }
  }

  /** Fields that are not declared one by one. */
  #checkOthers(
    node: SchemaNode,
    object: MutableObject,
    path: string,
    findings: Findings,
    before: (field: string) => Correlation | undefined,
  ): void {
    const others = node.additionalProperties;
    if (others === undefined || others === true) return;
    for (const key of Object.keys(object)) {
      if (object[key] === undefined || node.properties.has(key) || findings.errors.size >= errorLimit)
        continue;
      if (others !== false) findings.merge(this.place(others, object[key], `${path}.${key}`, before(key)));
      else {
        const text = `${path}.${key} in body is a forbidden property`;
        findings.add(text, fieldError.invalid(this.#places.field(path), key, text));
      }
    }
  }
}

/** A schema may declare thousands of properties, and a list hold thousands of objects that have a few of them each. */
const manyProperties = 64;

/** Names of which some are declared and some are there, as few as may be. */
const namesToCheck = ({ properties }: SchemaNode, object: MutableObject): Iterable<string> =>
  properties.size > manyProperties ? Object.keys(object) : properties.keys();
