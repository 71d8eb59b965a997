// A YAML document as a JSON value.

import { isObject, setOwn } from "@kubewright/api";
import { isAlias, isMap, isScalar, isSeq, type LineCounter, type Scalar, type YAMLMap } from "yaml";
import { compactInteger, isInt64 } from "../json/exact-integer.js";
import { maxDepth } from "../json/json-inspection.js";
import { LiteralStore } from "../json/number-literals.js";
import type { MutableJson, MutableObject } from "../mutable-json.js";
import { resolvePlain, resolveTagged, type YamlScalar } from "./resolve-scalar.js";
import { YamlError } from "./yaml-error.js";

/** Nodes one document may come to once its aliases are copied, beyond the nodes it has itself. */
const aliasBudget = 100_000;
/** Characters of the texts among them. */
const aliasTextBudget = 3 * 1024 * 1024;
/** kube-apiserver stops counting here too. */
const maxReported = 100;

/** Converts one document. */
export class YamlConverter {
  /** `line 4: key "a" already set in map`, one for each key that stood twice. */
  readonly duplicates: string[] = [];
  readonly literals = new LiteralStore();
  readonly #lines: LineCounter;
  readonly #anchors = new Map<string, unknown>();
  #insideAlias = 0;
  #copied = 0;
  #copiedText = 0;

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  /** The value of a node. Anchors are those met so far, as YAML has it. */
  convert(node: unknown, holder: object, key: string | number, depth: number): MutableJson {
    if (depth > maxDepth) throw new YamlError("yaml: exceeded max depth");
    if (this.#insideAlias > 0) this.#countCopy(node);
    if (isAlias(node)) return this.#alias(node.source, holder, key, depth);
    if (isScalar(node)) {
      this.#anchor(node.anchor, node);
      return this.#scalar(scalarValue(node), holder, key);
    }
    if (isSeq(node)) {
      this.#anchor(node.anchor, node);
      const list: MutableJson[] = [];
      for (const item of node.items) list.push(this.convert(item, list, list.length, depth + 1));
      return list;
    }
    if (isMap(node)) {
      this.#anchor(node.anchor, node);
      const object: MutableObject = {};
      this.#fill(object, node, depth);
      return object;
    }
    return null;
  }

  #countCopy(node: unknown): void {
    this.#copied++;
    if (isScalar(node) && typeof node.value === "string") this.#copiedText += node.value.length;
    if (this.#copied > aliasBudget || this.#copiedText > aliasTextBudget)
      throw new YamlError("yaml: document contains excessive aliasing");
  }

  #anchor(name: string | undefined, node: unknown): void {
    if (name !== undefined) this.#anchors.set(name, node);
  }

  #alias(name: string, holder: object, key: string | number, depth: number): MutableJson {
    const node = this.#anchors.get(name);
    if (node === undefined) throw new YamlError(`yaml: unknown anchor '${name}' referenced`);
    this.#insideAlias++;
    const value = this.convert(node, holder, key, depth + 1);
    this.#insideAlias--;
    return value;
  }

  #fill(object: MutableObject, node: YAMLMap, depth: number): void {
    const seen = new Set<string>();
    for (const pair of node.items) {
      if (isMergeKey(pair.key)) {
        this.#merge(object, pair.value, depth);
        continue;
      }
      const key = this.#key(pair.key);
      if (seen.has(key)) this.#duplicate(key, pair.key);
      seen.add(key);
      setOwn(object, key, this.convert(pair.value, object, key, depth + 1));
    }
  }

  /** `<<`: the keys of another map, or of several, the first of which counts most. */
  #merge(object: MutableObject, node: unknown, depth: number): void {
    const value = this.convert(node, object, "<<", depth + 1);
    const sources = Array.isArray(value) ? value.toReversed() : [value];
    for (const source of sources) {
      if (!isObject(source))
        throw new YamlError("yaml: map merge requires map or sequence of maps as the value");
      for (const [key, child] of Object.entries(source)) if (child !== undefined) setOwn(object, key, child);
    }
  }

  #key(node: unknown): string {
    const target = isAlias(node) ? this.#anchors.get(node.source) : node;
    if (!isScalar(target)) throw new YamlError("yaml: invalid map key");
    this.#anchor(target.anchor, target);
    const value = scalarValue(target);
    if (value === null) throw new YamlError("unsupported map key of type: null");
    return String(value);
  }

  #scalar(value: YamlScalar, holder: object, key: string | number): MutableJson {
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new YamlError(`json: unsupported value: ${value}`);
    }
    if (typeof value !== "bigint") return value;
    if (isInt64(value)) return compactInteger(value);
    this.literals.keep(holder, key, String(value));
    return Number(value);
  }

  #duplicate(key: string, node: unknown): void {
    if (this.duplicates.length >= maxReported || !isScalar(node)) return;
    const line = this.#lines.linePos(node.range?.[0] ?? 0).line;
    this.duplicates.push(`line ${line}: key ${JSON.stringify(key)} already set in map`);
  }
}

/** The value of a scalar. The failsafe schema leaves every scalar as text. */
function scalarValue(node: Scalar): YamlScalar {
  const text = typeof node.value === "string" ? node.value : String(node.source ?? "");
  if (node.tag !== undefined) {
    const tagged = resolveTagged(text, node.tag);
    if (tagged !== undefined) return tagged;
  }
  return node.type === "PLAIN" || node.type === undefined ? resolvePlain(text) : text;
}

function isMergeKey(node: unknown): boolean {
  return isScalar(node) && node.value === "<<" && (node.type === "PLAIN" || node.type === undefined);
}
