// Filters of requests for faults.
import { type RequestAttributes, type Verb, writeVerbs } from "./request-attributes.js";

/** Requests that are all of this. Those of the cluster's own components are meant only when `client` names one. */
export interface RequestFilter {
  /** `write` stands for every verb that changes something. */
  readonly verb?: Verb | "write" | readonly (Verb | "write")[] | undefined;
  /** In the plural, with a subresource after a slash: `deployments`, `deployments/status`. Without one, no subresource. */
  readonly resource?: string | undefined;
  readonly group?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** The prefix of the user agent: the name of a manager, `kubectl`, `kube-controller-manager`, `kubelet`. */
  readonly client?: string | undefined;
}

/** A filter, or a function that decides. */
export type RequestMatch = RequestFilter | ((request: RequestAttributes) => boolean);

/** One function for both forms. */
export function matcherOf(match: RequestMatch): (request: RequestAttributes) => boolean {
  if (typeof match === "function") return match;
  const verbs = verbsOf(match.verb);
  return (request) =>
    (verbs === undefined || verbs.has(request.verb)) &&
    isResource(match.resource, request) &&
    (match.client === undefined ? !request.isOwn : request.client.startsWith(match.client)) &&
    is(match.group, request.group) &&
    is(match.namespace, request.namespace) &&
    is(match.name, request.name);
}

const is = (wanted: string | undefined, found: string | undefined): boolean =>
  wanted === undefined || wanted === found;

function isResource(wanted: string | undefined, { resource, subresource }: RequestAttributes): boolean {
  if (wanted === undefined) return true;
  return wanted === (subresource === undefined ? resource : `${resource}/${subresource}`);
}

function verbsOf(wanted: RequestFilter["verb"]): ReadonlySet<Verb> | undefined {
  if (wanted === undefined) return undefined;
  const named = typeof wanted === "string" ? [wanted] : wanted;
  return new Set(named.flatMap((verb) => (verb === "write" ? writeVerbs : [verb])));
}
