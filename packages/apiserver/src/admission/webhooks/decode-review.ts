// Decodes the AdmissionReview of a response as kube-apiserver does: strictly typed, with Go's messages.
import { goQuote, isObject } from "@kubewright/api";
import { WebhookError } from "../../webhook-client/webhook-caller.js";
import type { ReviewVersion } from "./admission-review.js";

type Json = Readonly<Record<string, unknown>>;

/** A decoded AdmissionResponse, not validated yet. */
export interface DecodedReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly response: DecodedResponse | undefined;
}

export interface DecodedResponse {
  readonly uid: string;
  readonly allowed: boolean;
  /** The Status that explains a refusal. */
  readonly status: Json | undefined;
  /** A JSON patch as text; empty when there is none. */
  readonly patch: string;
  readonly patchType: string | undefined;
  readonly warnings: readonly string[];
  /** Audit annotations. */
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

const empty: DecodedReview = { apiVersion: "", kind: "", response: undefined };

/** Throws a WebhookError for what cannot be decoded. */
export function decodeReview(answer: unknown, version: ReviewVersion): DecodedReview {
  if (answer === null) return empty;
  if (!isObject(answer)) throw new WebhookError(noObject(answer));
  const apiVersion = text(answer, "apiVersion", "AdmissionReview", "string") ?? "";
  const kind = text(answer, "kind", "AdmissionReview", "string") ?? "";
  if (apiVersion === "v1" && kind === "Status") return decodeStatus(answer);
  const isReview = kind === "" || kind === "AdmissionReview";
  if (isReview && (apiVersion === "" || apiVersion === `admission.k8s.io/${version}`))
    return { apiVersion, kind, response: decodeResponse(answer) };
  // kube-apiserver decodes a response in another version into another object, and the expected one stays empty.
  if (isReview && /^admission\.k8s\.io\/v1(beta1)?$/.test(apiVersion)) return empty;
  throw new WebhookError(
    `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`,
  );
}

const noObject = (answer: unknown): string =>
  `couldn't get version/kind; json parse error: json: cannot unmarshal ${typeName(answer)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;

/** A failure in place of a review. */
function decodeStatus(status: Json): DecodedReview {
  if (status["status"] === "Success") return empty;
  throw new WebhookError(text(status, "message", "Status", "string") ?? "unknown");
}

const owner = "AdmissionResponse.response";

function decodeResponse(review: Json): DecodedResponse | undefined {
  const response = object(review, "response", "AdmissionReview", "v1.AdmissionResponse");
  if (!response) return undefined;
  return {
    uid: text(response, "uid", owner, "types.UID") ?? "",
    allowed: flag(response, "allowed"),
    status: object(response, "status", owner, "v1.Status"),
    patch: decodeBase64(text(response, "patch", owner, "[]uint8") ?? ""),
    patchType: text(response, "patchType", owner, "v1.PatchType"),
    warnings: texts(response, "warnings"),
    auditAnnotations: textsByName(response, "auditAnnotations"),
  };
}

/** The value of a field; null counts as absent. */
const valueIn = (holder: Json, name: string): unknown =>
  Object.hasOwn(holder, name) ? (holder[name] ?? undefined) : undefined;

const mismatch = (value: unknown, path: string, goType: string): WebhookError =>
  new WebhookError(
    `json: cannot unmarshal ${typeName(value)} into Go struct field ${path} of type ${goType}`,
  );

function text(holder: Json, name: string, owner: string, goType: string): string | undefined {
  const value = valueIn(holder, name);
  if (value === undefined || typeof value === "string") return value;
  throw mismatch(value, `${owner}.${name}`, goType);
}

function object(holder: Json, name: string, owner: string, goType: string): Json | undefined {
  const value = valueIn(holder, name);
  if (value === undefined || isObject(value)) return value;
  throw mismatch(value, `${owner}.${name}`, goType);
}

function flag(holder: Json, name: string): boolean {
  const value = valueIn(holder, name) ?? false;
  if (typeof value === "boolean") return value;
  throw mismatch(value, `${owner}.${name}`, "bool");
}

function texts(holder: Json, name: string): string[] {
  const value = valueIn(holder, name) ?? [];
  if (!Array.isArray(value)) throw mismatch(value, `${owner}.${name}`, "[]string");
  return value.map((item: unknown) => {
    if (typeof item === "string") return item;
    throw mismatch(item, `${owner}.${name}`, "string");
  });
}

function textsByName(holder: Json, name: string): Record<string, string> {
  const entries = Object.entries(object(holder, name, owner, "map[string]string") ?? {});
  for (const [, value] of entries)
    if (typeof value !== "string" && value !== null) throw mismatch(value, `${owner}.${name}`, "string");
  return Object.fromEntries(entries.map(([key, value]) => [key, value === null ? "" : String(value)]));
}

/** A JSON type as Go's decoder names it. */
function typeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function decodeBase64(encoded: string): string {
  const compact = encoded.replace(/[\r\n]/g, "");
  const illegal = compact.search(/[^A-Za-z0-9+/]/);
  const end = illegal === -1 ? compact.length : illegal;
  if (compact.length % 4 === 0 && /^={0,2}$/.test(compact.slice(end)))
    return Buffer.from(compact, "base64").toString("utf8");
  throw new WebhookError(`illegal base64 data at input byte ${end}`);
}
