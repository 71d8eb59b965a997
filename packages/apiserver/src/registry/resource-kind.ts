// One resource of one API version, as the request path sees it.

import type {
  GroupVersionKind,
  JSONSchemaProps,
  ResourceScope,
  StructInfo,
  TransportResponse,
} from "@kubewright/api";
import type { CustomColumns, DraftObject, StoredObject, Strategy } from "@kubewright/kinds";
import type { AnyObject, ObjectDecoder, VersionedObject } from "@kubewright/machinery";

import type { ResourceRequestInfo } from "../request/request-info.js";
import type { RequestContext } from "./request-context.js";

export interface ResourceKind extends GroupVersionKind {
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly scope: ResourceScope;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** The verbs that discovery shows. Default: `verbs`. */
  readonly shownVerbs?: readonly string[] | undefined;
  readonly custom: boolean;
  /** The table objects are stored in; versions of one resource share it. */
  readonly storage: string;
  /** The version objects are stored in, where that is known. */
  readonly storageVersion?: string | undefined;
  /** The group failures name, where it is another than its own (events are stored as those of the core). */
  readonly failuresOf?: string | undefined;
  readonly typeInfo: StructInfo;
  readonly decoder: ObjectDecoder;
  readonly strategy: Strategy;
  readonly subresources: ReadonlyMap<string, Subresource>;
  /** The schema of a custom kind as its CRD states it. */
  readonly openApi?: JSONSchemaProps | undefined;
  /** The columns of a custom kind in tables. */
  readonly columns?: CustomColumns | undefined;
  /** Between this version and the one stored; absent when they are the same. */
  readonly conversion?: Conversion | undefined;
  /** As that of `conversion`, for built-in kinds, whose stored version has field managers of others, too. */
  toVersion?(object: AnyObject, apiVersion: string): VersionedObject | undefined;
  /** Calls back once when the resource is no longer served, or served differently: watches end then. Returns a function that unsubscribes. */
  onNoLongerServed?(callback: () => void): () => void;
  /** Looks at every request before anything else does: refuses it, or warns. */
  preflight?(context: RequestContext, info: ResourceRequestInfo): void;
  /** Virtual kinds that are looked at when asked for, not stored. */
  readonly observed?: Observed | undefined;
  /** Virtual kinds (access reviews) are answered, not stored. */
  review?(object: DraftObject, context: RequestContext): Promise<DraftObject> | DraftObject;
}

/** Objects that are made when someone asks for them. */
export interface Observed {
  list(context: RequestContext): readonly StoredObject[];
  /** Throws where there is none of that name. */
  get(context: RequestContext, name: string): StoredObject;
}

/** Conversion between the served and the stored version. Outcomes that need no waiting are not promises. */
export interface Conversion {
  fromStorage(
    objects: readonly StoredObject[],
    context: RequestContext,
  ): Promise<readonly StoredObject[]> | readonly StoredObject[];
  toStorage(object: DraftObject, context: RequestContext): Promise<DraftObject> | DraftObject;
  /**
   * The object in a version that one of its field managers wrote in; undefined when there is no such version any more. Absent
   * where all versions have one shape.
   */
  toVersion?(
    object: AnyObject,
    apiVersion: string,
    context: RequestContext,
  ): VersionedObject | undefined | Promise<VersionedObject | undefined>;
}

/** A second face of an object: `/status`, `/scale`, `/binding`. */
export interface Subresource {
  readonly name: string;
  readonly verbs: readonly string[];
  /** Empty group and version stand for those of the resource. */
  readonly kind: GroupVersionKind;
  /** The kinds of request bodies. Default: `kind`. */
  readonly acceptedTypes?: readonly GroupVersionKind[] | undefined;
  /** Set where it cannot be shown as a Table. */
  readonly tableless?: boolean | undefined;
  /** For those that are the object itself, seen through other rules (`status`). */
  readonly strategy?: Strategy | undefined;
  /** For those that show the object in another shape (`scale`). */
  readonly view?: View | undefined;
  /** For those with a behaviour of their own. */
  handle?(context: RequestContext, kind: ResourceKind): Promise<SubresourceResult>;
  /** For those that answer with something other than an object: logs and streams. */
  respond?(context: RequestContext, kind: ResourceKind): Promise<TransportResponse>;
}

/** Another shape an object is read and written in. */
export interface View {
  /** The kind that clients send and receive. */
  readonly kind: ResourceKind;
  /** The object as clients see it; to be written it may lack what could not be shown. */
  toView(object: StoredObject, purpose: "read" | "write"): StoredObject;
  /** The object after a client changed what it saw; throws when that may not be. */
  fromView(view: DraftObject, object: StoredObject): DraftObject;
  /** Set when the view cannot be applied to: throws the error for the client. */
  refuseApply?(applied: { readonly metadata?: unknown }): never;
}

/** The response of a subresource. */
export interface SubresourceResult {
  readonly status: number;
  readonly object: unknown;
}

/** `deployments.apps`; of the core group `pods`. */
export const resourceId = ({ group, plural }: Pick<ResourceKind, "group" | "plural">): string =>
  group === "" ? plural : `${plural}.${group}`;

/** `namespace/name`, or `name` for cluster-scoped kinds: the order lists come in. */
export function keyOf(
  kind: Pick<ResourceKind, "scope">,
  namespace: string | undefined,
  name: string,
): string {
  return kind.scope === "Cluster" ? name : `${namespace ?? ""}/${name}`;
}

/** How a failure of validation names a kind. */
export const failureKind = ({ group, kind, failuresOf }: ResourceKind) => ({
  group: failuresOf ?? group,
  kind,
});

/** How a failure names an object. */
export const subjectOf = (kind: Pick<ResourceKind, "group" | "plural">, name: string) => ({
  group: kind.group,
  resource: kind.plural,
  name,
});
