// The selection of a cache: which objects of a kind it holds. The server selects what it sends; the same selection is
// needed here to decide whether an object this process wrote belongs in the cache, and whether the cache can answer a read.
import { FieldMatcher, type KubeObject, LabelMatcher, type LabelSelector } from "@kubewright/api";
import { matchesFields } from "./field-path.js";

/** Narrows a kind; what is not given is not narrowed. */
export interface Selection {
  /** Each is watched by itself, so permission in these namespaces is enough. */
  readonly namespaces?: readonly string[] | undefined;
  readonly labelSelector?: string | LabelSelector | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Which cached objects to list: by namespace, labels and fields. */
export interface Query {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | LabelSelector | undefined;
  readonly fieldSelector?: string | undefined;
}

/** A compiled selection. */
export class Selector {
  /** Undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  readonly labels: LabelMatcher;
  readonly fields: FieldMatcher;

  constructor(selection: Selection = {}) {
    const { namespaces } = selection;
    this.namespaces = namespaces && [...new Set(namespaces)].sort();
    this.labels = labelMatcher(selection.labelSelector);
    this.fields = fieldMatcher(selection.fieldSelector);
  }

  matches(object: KubeObject): boolean {
    return (
      this.hasNamespace(object.metadata?.namespace) &&
      this.labels.matches(object.metadata?.labels) &&
      matchesFields(this.fields, object)
    );
  }

  hasNamespace(namespace: string | undefined): boolean {
    return !this.namespaces || (namespace !== undefined && this.namespaces.includes(namespace));
  }

  /** True when an object of the namespace is in the cache if and only if it exists. */
  isWholeNamespace(namespace: string | undefined): boolean {
    return this.hasNamespace(namespace) && !this.isNarrowed;
  }

  /** True when every object the query means is in the cache. */
  covers(query: Query): boolean {
    if (this.namespaces && !this.hasNamespace(query.namespace)) return false;
    if (!this.isNarrowed) return true;
    return (
      this.labels.toString() === labelMatcher(query.labelSelector).toString() &&
      this.fields.toString() === fieldMatcher(query.fieldSelector).toString()
    );
  }

  /** Equal for selections that mean the same. */
  toString(): string {
    return JSON.stringify([this.namespaces ?? null, this.labels.toString(), this.fields.toString()]);
  }

  private get isNarrowed(): boolean {
    return this.labels.requirements.length > 0 || this.fields.requirements.length > 0;
  }
}

/** Compiles a label selector in either form; none selects everything. */
export function labelMatcher(selector: string | LabelSelector | undefined): LabelMatcher {
  if (selector === undefined) return LabelMatcher.everything;
  return typeof selector === "string" ? LabelMatcher.parse(selector) : LabelMatcher.from(selector);
}

/** Compiles a field selector; none selects everything. */
export function fieldMatcher(selector: string | undefined): FieldMatcher {
  return selector === undefined ? FieldMatcher.everything : FieldMatcher.parse(selector);
}
