// `/openapi/v3`, `/openapi/v3/…` and `/openapi/v2`, with the caching headers clients rely on.

import type { TransportResponse } from "@kubewright/api";
import { parseAccept } from "@kubewright/machinery";

import { headerOf, type RequestContext } from "../registry/request-context.js";
import type { OpenApiDocument, OpenApiDocuments, SwaggerDocument } from "./openapi-documents.js";

/** Undefined when the path is not one of OpenAPI's. */
export function serveOpenApi(
  context: RequestContext,
  documents: OpenApiDocuments,
  path: string,
): Promise<TransportResponse> | undefined {
  if (path !== "/openapi/v2" && path !== "/openapi/v3" && !path.startsWith("/openapi/v3/")) return undefined;
  return answer(context, documents, path);
}

async function answer(
  context: RequestContext,
  documents: OpenApiDocuments,
  path: string,
): Promise<TransportResponse> {
  if (path === "/openapi/v3") return respond(context, await documents.index(), "text/plain; charset=utf-8");
  if (path === "/openapi/v2") {
    const swagger = await documents.swagger();
    const accept = headerOf(context, "accept");
    if (wantsProtobuf(accept)) return protobufResponse(context, swagger);
    return acceptsJson(accept) ? respond(context, swagger, "application/json") : notAcceptable;
  }
  return (await groupVersionAnswer(context, documents, path)) ?? noSuchDocument;
}

async function groupVersionAnswer(
  context: RequestContext,
  documents: OpenApiDocuments,
  path: string,
): Promise<TransportResponse | undefined> {
  const match = /^\/openapi\/v3\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))$/.exec(path);
  const gv = match && { group: match[2] ?? "", version: match[1] ?? match[3] ?? "" };
  const found = gv ? await documents.groupVersion(gv) : documents.ofServer(path.slice("/openapi/v3/".length));
  if (!found) return undefined;
  const accept = headerOf(context, "accept");
  // Where there is nothing to understand in the header, anything will do.
  if (accept && parseAccept(accept).length > 0 && !acceptsJson(accept)) return notAcceptable;
  const asked = context.query.get("hash");
  // A document that has changed since its address was handed out has another address.
  if (asked !== null && asked !== found.hash) return movedTo(`${path}?hash=${found.hash}`);
  return respond(context, found, "application/json");
}

const movedTo = (location: string): TransportResponse => ({
  status: 301,
  headers: { location },
  body: { kind: "empty" },
});

/** Whether a client that does not take protobuf takes JSON. */
const acceptsJson = (accept: string | undefined): boolean =>
  !accept ||
  parseAccept(accept).some(
    ({ type, subtype }) =>
      (type === "application" && (subtype === "json" || subtype === "*")) ||
      (type === "*" && subtype === "*"),
  );

const noSuchDocument: TransportResponse = { status: 404, headers: {}, body: { kind: "empty" } };
const notAcceptable: TransportResponse = { status: 406, headers: {}, body: { kind: "empty" } };

const protobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** kubectl and Go clients ask for protobuf; the media type is written with an `@` or with a dot. */
const wantsProtobuf = (accept: string | undefined): boolean =>
  /proto-openapi\.spec\.v2[@.]v1\.0\+protobuf/.test(accept ?? "");

function protobufResponse(context: RequestContext, swagger: SwaggerDocument): TransportResponse {
  const etag = `"${swagger.hash}"`;
  const headers = { "content-type": protobufType, etag, vary: "Accept-Encoding, Accept" };
  if (headerOf(context, "if-none-match") === etag) return { status: 304, headers, body: { kind: "empty" } };
  return { status: 200, headers, body: { kind: "bytes", bytes: swagger.protobuf() } };
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
