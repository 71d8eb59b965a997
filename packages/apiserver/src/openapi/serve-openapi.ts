// `/openapi/v3`, `/openapi/v3/…` and `/openapi/v2`, with the caching headers clients rely on.
import type { TransportResponse } from "@kubewright/api";
import { headerOf, type RequestContext } from "../request/context.js";
import type { OpenApiDocument, OpenApiDocuments } from "./openapi-documents.js";
import { swaggerProtobuf } from "./swagger-protobuf.js";

/** Undefined when the path is not one of OpenAPI's. */
export function serveOpenApi(
  context: RequestContext,
  documents: OpenApiDocuments,
  path: string,
): TransportResponse | undefined {
  if (path === "/openapi/v3") return respond(context, documents.index(), "text/plain; charset=utf-8");
  if (path === "/openapi/v2") {
    const swagger = documents.swagger();
    return wantsProtobuf(headerOf(context, "accept"))
      ? protobufResponse(swagger)
      : respond(context, swagger, "application/json");
  }
  const match = /^\/openapi\/v3\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))$/.exec(path);
  if (!match) return undefined;
  const found = documents.groupVersion({ group: match[2] ?? "", version: match[1] ?? match[3] ?? "" });
  return found && respond(context, found, "application/json");
}

const protobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** kubectl and Go clients ask for protobuf; the media type is written with an `@` or with a dot. */
const wantsProtobuf = (accept: string | undefined): boolean =>
  /proto-openapi\.spec\.v2[@.]v1\.0\+protobuf/.test(accept ?? "");

function protobufResponse({ document, hash }: OpenApiDocument): TransportResponse {
  const headers = { "content-type": protobufType, etag: `"${hash}"` };
  return { status: 200, headers, body: { kind: "bytes", bytes: swaggerProtobuf(document) } };
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
