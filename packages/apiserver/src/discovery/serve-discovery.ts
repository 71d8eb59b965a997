// `/api`, `/apis` and what lies below them, in the form the client asked for.

import type { GroupVersionKind, TransportResponse } from "@kubewright/api";
import { negotiate, objectTypes } from "@kubewright/machinery";
import { headerOf, type RequestContext } from "../registry/request-context.js";
import { objectResponse } from "../request/responses.js";
import type { DiscoveryDocuments } from "./discovery-documents.js";

/** Plain documents come in every encoding. */
const allows = (_mediaType: unknown, as: GroupVersionKind | undefined): boolean =>
  as === undefined ||
  (as.group === "apidiscovery.k8s.io" && as.kind === "APIGroupDiscoveryList" && as.version === "v2");

/** Undefined when the path is not one of discovery's. */
export function serveDiscovery(
  context: RequestContext,
  discovery: DiscoveryDocuments,
  path: string,
): TransportResponse | undefined {
  const [, root, first, second, ...rest] = path.split("/");
  if (rest.length > 0) return undefined;
  if (path === "/api" || path === "/apis") return serveRoot(context, discovery, path === "/api");
  if (root === "api" && first === "v1" && second === undefined)
    return plain(context, discovery.resources("", "v1"), objectTypes);
  if (root !== "apis" || !first) return undefined;
  if (!second) return plain(context, discovery.group(first));
  return plain(
    context,
    discovery.resources(first, second),
    discovery.isNative(first) ? objectTypes : undefined,
  );
}

function plain(
  context: RequestContext,
  document: unknown,
  produces?: readonly string[],
): TransportResponse | undefined {
  if (document === undefined) return undefined;
  const negotiated = negotiate(headerOf(context, "accept"), { produces });
  return objectResponse(context, 200, document, negotiated);
}

function serveRoot(context: RequestContext, discovery: DiscoveryDocuments, core: boolean): TransportResponse {
  const negotiated = negotiate(headerOf(context, "accept"), {
    allows,
    produces: core ? objectTypes : undefined,
  });
  if (!negotiated.as) {
    const document = core ? coreVersions(headerOf(context, "host") ?? "localhost") : discovery.groupList();
    return objectResponse(context, 200, document, negotiated);
  }
  const { document, hash } = discovery.aggregated(core);
  const etag = `"${hash}"`;
  const caching = { etag, vary: "Accept", "cache-control": "public" };
  if (headerOf(context, "if-none-match") === etag)
    return { status: 304, headers: caching, body: { kind: "empty" } };
  const response = objectResponse(context, 200, document, negotiated);
  return { ...response, headers: { ...response.headers, ...caching } };
}

function coreVersions(serverAddress: string): unknown {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}
