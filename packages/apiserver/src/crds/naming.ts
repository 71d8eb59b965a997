// The accepted names of a CRD: those that no other CRD of its group has.

import {
  aggregateErrors,
  type CustomResourceDefinition,
  deepEqual,
  findCondition,
  goQuote,
} from "@kubewright/api";
import type { ConditionUpdate } from "@kubewright/kinds";

type Names = CustomResourceDefinition["spec"]["names"];

/** Names that other CRDs have. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export interface NamingResult {
  readonly acceptedNames: Names;
  readonly conditions: readonly ConditionUpdate[];
}

/** The accepted names of the other CRDs of the group. */
export function namesTaken(
  crd: CustomResourceDefinition,
  others: Iterable<CustomResourceDefinition>,
): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    if (other.spec.group !== crd.spec.group || other.metadata?.name === crd.metadata?.name) continue;
    const names = other.status?.acceptedNames;
    for (const name of [names?.plural, names?.singular, ...(names?.shortNames ?? [])])
      if (name) resources.add(name);
    for (const name of [names?.kind, names?.listKind]) if (name) kinds.add(name);
  }
  return { resources, kinds };
}

/** Decides on names and the conditions that follow from them; undefined when there is nothing to decide. */
export function decideNames(
  crd: CustomResourceDefinition,
  taken: () => TakenNames,
): NamingResult | undefined {
  const asked = crd.spec.names;
  const held: Partial<Names> = crd.status?.acceptedNames ?? {};
  if (deepEqual(asked, held)) return undefined;
  const { acceptedNames, conflict } = grant(asked, held, taken());
  const named: ConditionUpdate = conflict
    ? { type: "NamesAccepted", status: "False", ...conflict }
    : { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" };
  return { acceptedNames, conditions: [named, established(crd, conflict === undefined)] };
}

interface Conflict {
  readonly reason: string;
  readonly message: string;
}

/** Each requested name that is free, and the accepted one where it is not. The last conflict is reported. */
function grant(
  asked: Names,
  held: Partial<Names>,
  taken: TakenNames,
): { readonly acceptedNames: Names; readonly conflict: Conflict | undefined } {
  let conflict: Conflict | undefined;
  const accepted: { -readonly [Key in keyof Names]: Names[Key] } = {
    ...held,
    plural: held.plural ?? "",
    kind: held.kind ?? "",
  };
  const decide = (
    field: "plural" | "singular" | "kind" | "listKind",
    reason: string,
    others: ReadonlySet<string>,
  ): void => {
    const name = asked[field] ?? "";
    if (name !== (held[field] ?? "") && others.has(name)) conflict = { reason, message: inUse(name) };
    else accepted[field] = name;
  };
  decide("plural", "PluralConflict", taken.resources);
  decide("singular", "SingularConflict", taken.resources);
  const clashes = (asked.shortNames ?? []).filter(
    (name) => !held.shortNames?.includes(name) && taken.resources.has(name),
  );
  if (clashes.length > 0)
    conflict = { reason: "ShortNamesConflict", message: aggregateErrors(clashes.map(inUse)) };
  else setOrDelete(accepted, "shortNames", asked.shortNames);
  decide("kind", "KindConflict", taken.kinds);
  decide("listKind", "ListKindConflict", taken.kinds);
  setOrDelete(accepted, "categories", asked.categories);
  return { acceptedNames: accepted, conflict };
}

function setOrDelete(
  names: { -readonly [Key in keyof Names]: Names[Key] },
  field: "shortNames" | "categories",
  value: readonly string[] | undefined,
): void {
  if (value === undefined) delete names[field];
  else names[field] = value;
}

const inUse = (name: string): string => `${goQuote(name)} is already in use`;

/** Once established, always established; until then names must be accepted first. */
function established(crd: CustomResourceDefinition, isAccepted: boolean): ConditionUpdate {
  const before = findCondition(crd.status?.conditions ?? undefined, "Established");
  if (before?.status === "True" || (before && !isAccepted)) {
    const { type, status, reason = "", message = "" } = before;
    return { type, status, reason, message };
  }
  return isAccepted
    ? {
        type: "Established",
        status: "False",
        reason: "Installing",
        message: "the initial names have been accepted",
      }
    : { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" };
}
