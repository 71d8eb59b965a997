// Parses an AdmissionReview. Anybody who can reach the port can send one, so everything is checked.
import { isObject, type UntypedObject, type UserInfo } from "@kubewright/api";
import type { JsonRecord } from "../controller/apply/json-record.js";
import { ReviewError } from "./review-error.js";
import type { Operation } from "./webhook-context.js";

/** The request side of a review, checked. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: Operation;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly options: UntypedObject;
  readonly object: UntypedObject | undefined;
  readonly oldObject: UntypedObject | undefined;
}

/** Throws a ReviewError (400) that names the missing field. */
export function parseAdmissionReview(body: unknown): AdmissionRequest {
  const request = requestOf(body, "AdmissionReview", "admission.k8s.io/v1");
  const resource = isObject(request["resource"]) ? request["resource"] : {};
  const uid = uidOf(request);
  const operation = operationOf(request["operation"]);
  // Validators of what is not there would let it pass.
  for (const field of demanded[operation])
    if (!request[field])
      throw new ReviewError(400, `request.${field} is missing from a review of ${operation}`);
  return {
    uid,
    operation,
    group: text(resource, "group"),
    resource: text(resource, "resource"),
    subresource: text(request, "subResource") || undefined,
    name: text(request, "name"),
    namespace: text(request, "namespace") || undefined,
    user: userOf(request["userInfo"]),
    dryRun: request["dryRun"] === true,
    options: object(request, "options") ?? {},
    object: object(request, "object"),
    oldObject: object(request, "oldObject"),
  };
}

/** The request side of a review of that kind. */
export function requestOf(body: unknown, kind: string, apiVersion: string): JsonRecord {
  if (!isObject(body)) throw new ReviewError(400, `the body is no ${kind}`);
  if (body["kind"] !== kind || body["apiVersion"] !== apiVersion)
    throw new ReviewError(400, `expected ${apiVersion} ${kind}, got ${nameOf(body)}`);
  const { request } = body;
  if (!isObject(request)) throw new ReviewError(400, `the ${kind} has no request`);
  return request;
}

export function uidOf(request: JsonRecord): string {
  const uid = text(request, "uid");
  if (uid === "") throw new ReviewError(400, "the request has no uid");
  return uid;
}

const nameOf = ({ apiVersion, kind }: JsonRecord): string =>
  `${typeof apiVersion === "string" ? apiVersion.slice(0, 100) : "no apiVersion"} ${typeof kind === "string" ? kind.slice(0, 100) : "no kind"}`;

/** The objects that the API server sends with an operation. */
const demanded: Readonly<Record<Operation, readonly string[]>> = {
  CREATE: ["object"],
  UPDATE: ["object", "oldObject"],
  DELETE: [],
  CONNECT: [],
};

const operations: ReadonlySet<unknown> = new Set<Operation>(["CREATE", "UPDATE", "DELETE", "CONNECT"]);
const isOperation = (value: unknown): value is Operation => operations.has(value);

function operationOf(value: unknown): Operation {
  if (isOperation(value)) return value;
  throw new ReviewError(400, "the request has no operation that is known here");
}

/** Absent fields are empty; anything else than a string is refused. */
function text(holder: JsonRecord, field: string): string {
  const value = holder[field] ?? "";
  if (typeof value === "string") return value;
  throw new ReviewError(400, `request.${field} is no text`);
}

function object(holder: JsonRecord, field: string): UntypedObject | undefined {
  const value = holder[field] ?? undefined;
  if (value === undefined || isUntyped(value)) return value;
  throw new ReviewError(400, `request.${field} is no object`);
}

function isUntyped(value: unknown): value is UntypedObject {
  return isObject(value) && (value["metadata"] === undefined || isObject(value["metadata"]));
}

function userOf(value: unknown): UserInfo {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new ReviewError(400, "request.userInfo is no object");
  const { username, uid, groups, extra } = value;
  return {
    ...(typeof username === "string" ? { username } : {}),
    ...(typeof uid === "string" ? { uid } : {}),
    ...(Array.isArray(groups) ? { groups: groups.filter((group) => typeof group === "string") } : {}),
    ...(isObject(extra) ? { extra: extrasOf(extra) } : {}),
  };
}

function extrasOf(extra: JsonRecord): Record<string, readonly string[]> {
  const texts = Object.entries(extra).map(([key, values]): [string, readonly string[]] => [
    key,
    Array.isArray(values) ? values.filter((value) => typeof value === "string") : [],
  ]);
  return Object.fromEntries(texts);
}
