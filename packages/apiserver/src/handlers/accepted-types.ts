// The first check of the Accept header, before the request itself is looked at: it only asks whether any media type in it is
// known. The media type of the response is negotiated later.
import { ApiError } from "@kubewright/api";
import { headerOf, type RequestContext } from "../registry/request-context.js";
import type { ResourceRequestInfo } from "../request/request-info.js";

const objects = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const streams = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

/** The table of paths knows whole types only: `application/*` is none of them. Throws 406, or 415 for a write of nothing. */
export function checkRouteAccept(
  context: RequestContext,
  { verb, subresource }: Pick<ResourceRequestInfo, "verb" | "subresource">,
): void {
  const types = typesOf(context);
  const known = subresource === "log" ? ["text/plain", ...objects] : objects;
  if (!types || types.some((type) => type === "*/*" || known.includes(type))) return;
  const available = verb === "list" || verb === "watch" ? [...objects, ...streams] : known;
  const [code, text, reason] = writesNothing(context)
    ? ([415, "Unsupported Media Type", "UnsupportedMediaType"] as const)
    : ([406, "Not Acceptable", "NotAcceptable"] as const);
  throw new ApiError(`${code}: ${text}\n\nAvailable representations: ${available.join(", ")}`, {
    code,
    reason,
    details: {},
  });
}

/** As above, for a path that has one type only. Throws 406. */
export function checkOnlyType(context: RequestContext, type: string): void {
  const accept = headerOf(context, "accept");
  const types = accept ? clausesOf(accept) : ["*/*"];
  if (types.includes("*/*") || types.includes(type)) return;
  throw new ApiError(`406: Not Acceptable\n\nAvailable representations: ${type}`, {
    code: 406,
    reason: "NotAcceptable",
    details: {},
  });
}

/** The handler of custom resources negotiates strictly by the Accept header. Throws 406. */
export function checkAccept(context: RequestContext): void {
  const types = typesOf(context);
  if (!types || types.some((type) => ["*", "*/*", "application/*", ...objects].includes(type))) return;
  throw new ApiError(`only the following media types are accepted: ${objects.join(", ")}`, {
    code: 406,
    reason: "NotAcceptable",
  });
}

/** The types without their parameters; undefined when there is no header, or one that is always good. */
function typesOf(context: RequestContext): readonly string[] | undefined {
  const accept = headerOf(context, "accept");
  if (!accept || accept === "application/json") return undefined;
  return clausesOf(accept);
}

const clausesOf = (accept: string): readonly string[] =>
  accept.split(",").map((clause) => (clause.split(";", 1)[0] ?? "").trim());

function writesNothing({ request: { method, body } }: RequestContext): boolean {
  if (method !== "POST" && method !== "PUT" && method !== "PATCH") return false;
  return body === undefined || (body.kind === "bytes" && body.bytes.length === 0);
}
