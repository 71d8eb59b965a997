// The escalation check of RBAC: a user may only grant permissions that they hold. Both are sets of rules; the granted ones are
// broken down to one verb on one resource each, and every piece must be covered by one of the rules that are held.
import type { PolicyRule } from "@kubewright/api";
import { goStrings } from "../go-strings.js";
import { coversPath } from "./rule-match.js";

/** Grants that fall into more pieces than this are not looked into: no real role comes near it. */
const maxPieces = 10_000;

/** The pieces of `granted` that no rule in `held` covers, put together again per resource. */
export function uncoveredRules(held: readonly PolicyRule[], granted: readonly PolicyRule[]): PolicyRule[] {
  const covered = (rule: PolicyRule): boolean => held.some((owner) => ruleCovers(owner, rule));
  const doubtful = granted.filter((rule) => !covered(rule));
  const pieces = doubtful.reduce((count, rule) => count + countPieces(rule), 0);
  if (pieces > maxPieces) return doubtful;
  return compact(doubtful.flatMap(breakDown).filter((piece) => !covered(piece)));
}

function countPieces({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }: PolicyRule): number {
  const targets = (apiGroups?.length ?? 0) * (resources?.length ?? 0) * (resourceNames?.length || 1);
  return (targets + (nonResourceURLs?.length ?? 0)) * verbs.length;
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`, as messages about grants show rules. */
export function describeRule(rule: PolicyRule): string {
  const parts: [string, readonly string[] | undefined][] = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ];
  const shown = parts.flatMap(([name, values]) => (values?.length ? [`${name}:${goStrings(values)}`] : []));
  return `{${shown.join(", ")}}`;
}

function breakDown({
  apiGroups = [],
  resources = [],
  resourceNames = [],
  ...rule
}: PolicyRule): PolicyRule[] {
  const names = resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ resourceNames: [name] }));
  const things = apiGroups.flatMap((group) =>
    resources.map((resource) => ({ apiGroups: [group], resources: [resource] })),
  );
  const paths = (rule.nonResourceURLs ?? []).map((url) => ({ nonResourceURLs: [url] }));
  const perVerb = (target: object, named: readonly object[]): PolicyRule[] =>
    rule.verbs.flatMap((verb) => named.map((name) => ({ ...target, ...name, verbs: [verb] })));
  return [
    ...things.flatMap((thing) => perVerb(thing, names)),
    ...paths.flatMap((path) => perVerb(path, [{}])),
  ];
}

function ruleCovers(owner: PolicyRule, piece: PolicyRule): boolean {
  const names = owner.resourceNames ?? [];
  const wantedNames = piece.resourceNames ?? [];
  return (
    has(owner.verbs, piece.verbs) &&
    has(owner.apiGroups, piece.apiGroups) &&
    coversResources(owner.resources ?? [], piece.resources ?? []) &&
    (names.length === 0 || (wantedNames.length > 0 && wantedNames.every((name) => names.includes(name)))) &&
    (piece.nonResourceURLs ?? []).every((url) =>
      (owner.nonResourceURLs ?? []).some((pattern) => coversPath(pattern, url)),
    )
  );
}

function has(owned: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return owned.includes("*") || wanted.every((value) => owned.includes(value));
}

function coversResources(owned: readonly string[], wanted: readonly string[]): boolean {
  if (owned.includes("*")) return true;
  return wanted.every((resource) => {
    if (owned.includes(resource)) return true;
    const slash = resource.indexOf("/");
    return slash >= 0 && owned.includes(`*${resource.slice(slash)}`);
  });
}

/** Pieces that differ only in the verb become one rule. */
function compact(pieces: readonly PolicyRule[]): PolicyRule[] {
  const byTarget = new Map<string, PolicyRule & { readonly verbs: string[] }>();
  const paths: PolicyRule[] = [];
  for (const piece of pieces) {
    const { apiGroups, resources, resourceNames, verbs } = piece;
    const key = JSON.stringify([apiGroups, resources, resourceNames]);
    const known = byTarget.get(key);
    if (piece.nonResourceURLs) paths.push(piece);
    else if (known) known.verbs.push(...verbs);
    else byTarget.set(key, { ...piece, verbs: [...verbs] });
  }
  return [...paths, ...byTarget.values()];
}
