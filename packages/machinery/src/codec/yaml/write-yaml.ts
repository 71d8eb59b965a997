// YAML as Go's library writes it (go-yaml v2, which kube-apiserver uses): blocks, keys in natural order, long lines folded.
import { formatFloat } from "./format-float.js";
import { compareKeys } from "./key-order.js";
import { type ScalarStyle, scalarStyle } from "./scalar-style.js";
import { YamlOutput } from "./yaml-output.js";

/** A document with one value. */
export function writeYaml(value: unknown): string {
  const output = new YamlOutput();
  new YamlWriter(output).write(value, false);
  output.startLine(0);
  return output.text;
}

/** Go gives longer keys a line of their own, after a question mark. */
const longestSimpleKey = 128;
const step = 2;

class YamlWriter {
  readonly #output: YamlOutput;
  /** Of the block being written; below zero before the first. */
  #indent = -step;

  constructor(output: YamlOutput) {
    this.#output = output;
  }

  write(value: unknown, isMapValue: boolean): void {
    if (Array.isArray(value)) this.#list(value, isMapValue);
    else if (typeof value === "object" && value !== null) this.#map(value);
    else if (typeof value === "string") this.#scalar(value, scalarStyle(value));
    else this.#scalar(typeof value === "number" ? formatFloat(value) : String(value), "plain");
  }

  #list(items: readonly unknown[], isMapValue: boolean): void {
    if (items.length === 0) {
      this.#output.mark("[]", false);
      return;
    }
    const outer = this.#indent;
    // A list stands below the key it belongs to, not further in.
    if (!isMapValue || this.#output.isAtIndent) this.#indent += step;
    for (const item of items) {
      this.#output.startLine(this.#indent);
      this.#output.mark("-", true);
      this.write(item, false);
    }
    this.#indent = outer;
  }

  #map(map: object): void {
    const entries = Object.entries(map).filter(([, value]) => value !== undefined);
    if (entries.length === 0) {
      this.#output.mark("{}", false);
      return;
    }
    this.#indent += step;
    for (const [key, value] of entries.sort(([a], [b]) => compareKeys(a, b))) {
      this.#output.startLine(this.#indent);
      this.#key(key);
      this.write(value, true);
    }
    this.#indent -= step;
  }

  #key(key: string): void {
    const style = scalarStyle(key);
    if (!key.includes("\n") && Buffer.byteLength(key) <= longestSimpleKey) {
      this.#output.scalar(key, style, undefined);
      this.#output.add(":");
      return;
    }
    this.#output.mark("?", true);
    this.#scalar(key, style);
    this.#output.startLine(this.#indent);
    this.#output.mark(":", true);
  }

  #scalar(text: string, style: ScalarStyle): void {
    this.#output.scalar(text, style, Math.max(this.#indent, 0) + step);
  }
}
