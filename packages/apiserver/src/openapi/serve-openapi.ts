// `/openapi/v3`, `/openapi/v3/…` and `/openapi/v2`, with the caching headers clients rely on.
import { ApiError, type TransportResponse } from "@kubewright/api";
import { headerOf, type RequestContext } from "../request/context.js";
import type { OpenApiDocument, OpenApiDocuments } from "./openapi-documents.js";

/** Undefined when the path is not one of OpenAPI's. */
export function serveOpenApi(
  context: RequestContext,
  documents: OpenApiDocuments,
  path: string,
): TransportResponse | undefined {
  if (path === "/openapi/v3") return respond(context, documents.index(), "text/plain; charset=utf-8");
  if (path === "/openapi/v2") {
    refuseProtobuf(headerOf(context, "accept"));
    return respond(context, documents.swagger(), "application/json");
  }
  const match = /^\/openapi\/v3\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))$/.exec(path);
  if (!match) return undefined;
  const found = documents.groupVersion({ group: match[2] ?? "", version: match[1] ?? match[3] ?? "" });
  return found && respond(context, found, "application/json");
}

/** Swagger as protobuf is not offered; clients that prefer JSON too get that. */
function refuseProtobuf(accept: string | undefined): void {
  if (!accept || /json|\*\/\*/.test(accept)) return;
  throw new ApiError("only the following media types are accepted: application/json", {
    code: 406,
    reason: "NotAcceptable",
  });
}

function respond(
  context: RequestContext,
  { document, hash }: OpenApiDocument,
  contentType: string,
): TransportResponse {
  const etag = `"${hash}"`;
  const headers = { "content-type": contentType, etag, vary: "Accept-Encoding, Accept" };
  if (headerOf(context, "if-none-match") === etag) return { status: 304, headers, body: { kind: "empty" } };
  const immutable = context.query.has("hash")
    ? { "cache-control": "public, immutable" }
    : { "cache-control": "no-cache, private" };
  return { status: 200, headers: { ...headers, ...immutable }, body: { kind: "object", value: document } };
}
