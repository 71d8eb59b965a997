// Bodies of patches. They are documents of their own, not objects of a kind; each type has its own words for being broken.
import { ApiError, isObject, type RequestBody } from "@kubewright/api";
import { adoptValue } from "./adopt-object.js";
import { goKind } from "./built-in/go-type.js";
import { type Duplicate, duplicateField, maxBodyBytes } from "./decode-body.js";
import { badRequest, bodyTooLarge } from "./decode-error.js";
import { JsonSyntaxError } from "./json/json-syntax-error.js";
import { parseJson } from "./json/parse-json.js";
import type { MutableJson, MutableObject } from "./mutable-json.js";
import { parseYaml } from "./yaml/parse-yaml.js";
import { YamlError } from "./yaml/yaml-error.js";

/** The four kinds of patches. */
export type PatchFormat = "json" | "merge" | "strategic" | "apply";

/** A decoded patch. */
export interface DecodedPatch<P> {
  /** Owned by the caller. */
  readonly patch: P;
  /** Keys that stood twice, for `fieldValidation`. */
  readonly duplicates: readonly Duplicate[];
}

/** Operations kube-apiserver takes in one JSON patch. */
const maxOperations = 10_000;

/** Decodes a JSON patch: a list of operations, which are not looked at. Throws ApiError 400 or 413. */
export function decodeJsonPatch(body: RequestBody | undefined): DecodedPatch<MutableJson[]> {
  const { value, duplicates } = read(body, "json");
  if (value === null) return { patch: [], duplicates };
  if (!Array.isArray(value)) throw notA(value, "[]handlers.jsonPatchOp", "json");
  if (value.length > maxOperations) {
    throw new ApiError(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${value.length}`,
      { code: 413, reason: "RequestEntityTooLarge" },
    );
  }
  return { patch: value, duplicates };
}

/** Decodes a patch that is an object. Throws ApiError 400 or 413. */
export function decodeObjectPatch(
  body: RequestBody | undefined,
  format: Exclude<PatchFormat, "json">,
): DecodedPatch<MutableObject> {
  const { value, duplicates } = read(body, format);
  // Nothing is a strategic patch that changes nothing, and a configuration that says nothing, but no merge patch.
  if (value === null && format === "merge") throw badRequest("Invalid JSON Patch");
  if (value === null) return { patch: {}, duplicates };
  if (!isObject(value)) throw notA(value, "map[string]interface {}", format);
  return { patch: value, duplicates };
}

interface Read {
  readonly value: MutableJson;
  readonly duplicates: readonly Duplicate[];
}

function read(body: RequestBody | undefined, format: PatchFormat): Read {
  if (body?.kind === "object") return { value: adoptValue(body.value) ?? null, duplicates: [] };
  const bytes = body?.bytes ?? new Uint8Array();
  if (bytes.length > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
  try {
    return format === "apply" ? parseYaml(bytes) : asJson(bytes);
  } catch (error) {
    if (error instanceof YamlError)
      throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
    if (error instanceof JsonSyntaxError) throw broken(error.message, format);
    throw error;
  }
}

function asJson(bytes: Uint8Array): Read {
  const { value, duplicateFields } = parseJson(bytes, true);
  return { value, duplicates: duplicateFields.map(duplicateField) };
}

function notA(value: MutableJson, type: string, format: PatchFormat): ApiError {
  return broken(`json: cannot unmarshal ${goKind(value)} into Go value of type ${type}`, format);
}

function broken(problem: string, format: PatchFormat): ApiError {
  if (format === "strategic") return badRequest(problem);
  if (format === "apply")
    return badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${problem}`);
  return badRequest(`error decoding patch: ${problem}`);
}
