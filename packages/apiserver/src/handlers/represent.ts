// An object or list in the form the client negotiated: itself, a Table, or its metadata.

import { ApiError, apiVersionOf, type JsonObject, type TransportResponse } from "@kubewright/api";
import {
  parseIncludeObject,
  partialObjectMetadata,
  partialObjectMetadataList,
  type StoredObject,
  type TableOptions,
  TableWriter,
  tableFor,
  unknownError,
} from "@kubewright/kinds";
import {
  allowsMetaForms,
  hasProtobuf,
  internalPackage,
  listTypes,
  type Negotiated,
  negotiate,
  objectTypes,
} from "@kubewright/machinery";

import { headerOf, type RequestContext } from "../registry/request-context.js";
import type { ResourceKind, View } from "../registry/resource-kind.js";
import { mapList } from "../request/mapped-list.js";
import { objectResponse } from "../request/responses.js";

/** The kind of request that is answered. */
type Requested = "object" | "list" | "watch";

/** Negotiates the media type of the response; throws 406. */
export function negotiateFor(
  context: RequestContext,
  kind: ResourceKind,
  requested: Requested = "object",
): Negotiated {
  const hasOwnProtobuf = !kind.custom && hasProtobuf(kind);
  return negotiate(headerOf(context, "accept"), {
    allows: (mediaType, as) =>
      allowsMetaForms(mediaType, as) &&
      (as?.kind !== "Table" || hasTable(context)) &&
      (as !== undefined || hasOwnProtobuf || mediaType !== "application/vnd.kubernetes.protobuf"),
    produces: !hasRoute(context, kind) ? undefined : requested === "object" ? objectTypes : listTypes,
    stream: requested === "watch",
    serverVersion: "v1",
    pretty: context.query.get("pretty"),
    userAgent: headerOf(context, "user-agent"),
  });
}

/** Routes look at the header first. kube-apiserver has none for custom resources; that of logs has more types than objects have. */
const hasRoute = ({ info }: RequestContext, { custom }: ResourceKind): boolean =>
  !custom && !(info.kind === "resource" && info.subresource === "log");

/** Answers that are not stored have no Table, nor have some subresources. */
function hasTable({ services, info }: RequestContext): boolean {
  if (info.kind !== "resource") return true;
  const kind = services.registry.find(info.group, info.version, info.resource);
  if (info.subresource === undefined) return !kind?.review;
  return !kind?.subresources.get(info.subresource)?.tableless;
}

/** Answers with one object. */
export function respondObject(
  context: RequestContext,
  kind: ResourceKind,
  object: StoredObject,
  status: number,
  negotiated: Negotiated,
): TransportResponse {
  return objectResponse(context, status, representObject(context, kind, object, negotiated), negotiated);
}

/** Answers with one object as a subresource shows it; without a view it shows the object itself. */
export function respondAs(
  context: RequestContext,
  kind: ResourceKind,
  view: View | undefined,
  object: StoredObject,
  status: number,
  negotiated: Negotiated,
): TransportResponse {
  if (!view) return respondObject(context, kind, object, status, negotiated);
  const shown = view.toView(object, "read");
  // Managed fields of a view are computed for the write that needs them, and not returned to clients.
  const { managedFields: _managedFields, ...metadata } = shown.metadata;
  return respondObject(context, view.kind, { ...shown, metadata }, status, negotiated);
}

/** One object, converted. */
function representObject(
  context: RequestContext,
  kind: ResourceKind,
  object: StoredObject,
  { as }: Negotiated,
  withoutColumns = false,
): unknown {
  if (!as) return object;
  const json = object as unknown as JsonObject;
  const version = metaVersion(as.version);
  if (as.kind === "PartialObjectMetadata") return partialObjectMetadata(json, version);
  if (as.kind === "PartialObjectMetadataList") throw notAList(kind);
  return tableFor([json], { ...tableOptions(context, kind, version, undefined), withoutColumns });
}

/** The representation of objects in a watch: rows of a table come with column definitions only the first time. Throws 400. */
export function watchedForm(
  context: RequestContext,
  kind: ResourceKind,
  negotiated: Negotiated,
): (object: StoredObject) => unknown {
  const { as } = negotiated;
  // Events are no lists; kube-apiserver does not mind, and shows them whole.
  if (!as || as.kind === "PartialObjectMetadataList") return (object) => object;
  if (as.kind === "Table") parseIncludeObject(context.query.get("includeObject"));
  let described = false;
  return (object) => {
    const shown = representObject(context, kind, object, negotiated, described);
    described = true;
    return shown;
  };
}

/** Answers with a list. */
export function respondList(
  context: RequestContext,
  kind: ResourceKind,
  items: readonly StoredObject[],
  metadata: JsonObject,
  negotiated: Negotiated,
): TransportResponse {
  const { as } = negotiated;
  const objects = items as unknown as readonly JsonObject[];
  if (!as) {
    const shown = kind.custom ? items : mapList(context, items, withoutType);
    const list = { kind: kind.listKind, apiVersion: apiVersionOf(kind), metadata, items: shown };
    return objectResponse(context, 200, list, negotiated);
  }
  if (as.kind === "PartialObjectMetadata") throw isAList(kind);
  const version = metaVersion(as.version);
  const value =
    as.kind === "PartialObjectMetadataList"
      ? metadataOfMany(context, objects, metadata, version)
      : tableOfMany(context, objects, tableOptions(context, kind, version, metadata));
  return objectResponse(context, 200, value, negotiated);
}

/** Go's name for what kube-apiserver holds the objects of a kind in. */
function goTypeOf({ custom, group }: ResourceKind, name: string, generic: string): string {
  return custom ? `*unstructured.${generic}` : `*${internalPackage(group)}.${name}`;
}

const isAList = (kind: ResourceKind): ApiError =>
  notAcceptable(
    `you requested PartialObjectMetadata, but the requested object is a list (${goTypeOf(kind, kind.listKind, "UnstructuredList")})`,
  );

/** An object without a Go type could be a list until kube-apiserver looks at it. */
const notAList = (kind: ResourceKind): ApiError =>
  kind.custom
    ? unknownError("content is not a list")
    : notAcceptable(
        `you requested PartialObjectMetadataList, but the requested object is not a list (${goTypeOf(kind, kind.kind, "Unstructured")})`,
      );

const notAcceptable = (message: string): ApiError =>
  new ApiError(message, { code: 406, reason: "NotAcceptable" });

function metadataOfMany(
  context: RequestContext,
  objects: readonly JsonObject[],
  listMeta: JsonObject,
  version: "v1" | "v1beta1",
): unknown {
  const items = mapList(context, objects, (object) => partialObjectMetadata(object, version));
  return { ...partialObjectMetadataList(listMeta, [], version), items };
}

function tableOfMany(
  context: RequestContext,
  objects: readonly JsonObject[],
  options: TableOptions,
): unknown {
  const writer = new TableWriter(objects, options);
  const rows = mapList(context, writer.objects, (object) => writer.row(object));
  return rows.length === 0 ? writer.table([]) : { ...writer.table([]), rows };
}

/** Items of a built-in list have no kind and apiVersion of their own. */
function withoutType({ kind: _kind, apiVersion: _apiVersion, ...rest }: StoredObject): unknown {
  return rest;
}

const metaVersion = (version: string): "v1" | "v1beta1" => (version === "v1beta1" ? "v1beta1" : "v1");

function tableOptions(
  context: RequestContext,
  kind: ResourceKind,
  version: "v1" | "v1beta1",
  listMeta: JsonObject | undefined,
) {
  return {
    gvk: kind,
    columns: kind.columns,
    now: context.services.clock.now(),
    includeObject: parseIncludeObject(context.query.get("includeObject")),
    version,
    listMeta,
  };
}
