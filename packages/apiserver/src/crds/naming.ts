// Which of its names a CustomResourceDefinition gets: those nobody else in its group has.
import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionCondition,
  findCondition,
} from "@kubewright/api";

type Names = CustomResourceDefinition["spec"]["names"];

interface Taken {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export interface NamingResult {
  readonly acceptedNames: Names;
  /** Without times. */
  readonly conditions: readonly Pick<
    CustomResourceDefinitionCondition,
    "type" | "status" | "reason" | "message"
  >[];
}

/** The names other definitions of the group were granted. */
export function namesTaken(
  definition: CustomResourceDefinition,
  others: Iterable<CustomResourceDefinition>,
): Taken {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    if (other.spec.group !== definition.spec.group || other.metadata?.name === definition.metadata?.name)
      continue;
    const names = other.status?.acceptedNames;
    for (const name of [names?.plural, names?.singular, ...(names?.shortNames ?? [])])
      if (name) resources.add(name);
    for (const name of [names?.kind, names?.listKind]) if (name) kinds.add(name);
  }
  return { resources, kinds };
}

/** Decides on names and the two conditions that follow from them. */
export function decideNames(definition: CustomResourceDefinition, taken: Taken): NamingResult {
  const asked = definition.spec.names;
  const held: Partial<Names> = definition.status?.acceptedNames ?? {};
  const accepted: { -readonly [Key in keyof Names]: Names[Key] } = {
    ...held,
    plural: held.plural ?? "",
    kind: held.kind ?? "",
  };
  let conflict: { reason: string; message: string } | undefined;
  const decide = (
    field: "plural" | "singular" | "kind" | "listKind",
    reason: string,
    others: ReadonlySet<string>,
  ): void => {
    const name = asked[field];
    if (name && name !== held[field] && others.has(name)) conflict = { reason, message: inUse(name) };
    else if (name) accepted[field] = name;
  };
  decide("plural", "PluralConflict", taken.resources);
  decide("singular", "SingularConflict", taken.resources);
  const clashes = (asked.shortNames ?? []).filter(
    (name) => !held.shortNames?.includes(name) && taken.resources.has(name),
  );
  if (clashes.length > 0) conflict = { reason: "ShortNamesConflict", message: aggregate(clashes.map(inUse)) };
  else if (asked.shortNames) accepted.shortNames = asked.shortNames;
  decide("kind", "KindConflict", taken.kinds);
  decide("listKind", "ListKindConflict", taken.kinds);
  if (asked.categories) accepted.categories = asked.categories;
  return { acceptedNames: accepted, conditions: conditionsFor(definition, conflict) };
}

const inUse = (name: string): string => `"${name}" is already in use`;
const aggregate = (texts: readonly string[]): string =>
  texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;

function conditionsFor(
  definition: CustomResourceDefinition,
  conflict: { reason: string; message: string } | undefined,
) {
  const established = findCondition(definition.status?.conditions, "Established")?.status === "True";
  const named = conflict
    ? ({ type: "NamesAccepted", status: "False", ...conflict } as const)
    : ({
        type: "NamesAccepted",
        status: "True",
        reason: "NoConflicts",
        message: "no conflicts found",
      } as const);
  const initial = {
    type: "Established",
    reason: "InitialNamesAccepted",
    message: "the initial names have been accepted",
  };
  if (!conflict || established) return [named, { ...initial, status: "True" as const }];
  return [
    named,
    {
      type: "Established",
      status: "False" as const,
      reason: "NotAccepted",
      message: "not all names are accepted",
    },
  ];
}
