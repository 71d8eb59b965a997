// JSON in: through JSON.parse where nothing can be lost, through our own scanner where something might.
import type { MutableJson } from "../mutable-json.js";
import { countKeys, inspectJson } from "./json-inspection.js";
import { type ScannedJson, scanJson } from "./json-scanner.js";

const noDuplicates: readonly string[] = [];

/** Parses a JSON body. Throws JsonSyntaxError with the text Go gives. */
export function parseJson(bytes: Uint8Array, reportDuplicates: boolean): ScannedJson {
  const inspection = inspectJson(bytes);
  if (!inspection.faithful) return scanJson(bytes);
  let value: MutableJson;
  try {
    value = JSON.parse(textOf(bytes));
  } catch {
    return scanJson(bytes);
  }
  if (reportDuplicates && countKeys(value) !== inspection.keys) return scanJson(bytes);
  return { value, duplicateFields: noDuplicates, literals: undefined };
}

/** Parses JSON that this project wrote, integers of 64 bits included. Throws SyntaxError or JsonSyntaxError. */
export function parseJsonText(text: string): unknown {
  return mayHoldBigIntegers.test(text) ? scanJson(Buffer.from(text)).value : JSON.parse(text);
}

const mayHoldBigIntegers = /[0-9]{16}/;

/** A byte order mark is kept, so that it is refused as kube-apiserver refuses it. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
