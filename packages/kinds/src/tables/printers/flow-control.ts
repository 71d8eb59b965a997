// Priority and fairness of requests.
import { FlowSchema, type JsonObject, PriorityLevelConfiguration } from "@kubewright/api";
import { ageColumn, column, nameColumn } from "../column.js";
import { metadataOf } from "../partial-metadata.js";
import { definePrinter, type TablePrinter } from "../printer.js";

const flowSchema = definePrinter(
  FlowSchema,
  [
    nameColumn,
    column("PriorityLevel", { of: "PriorityLevelConfigurationReference.name" }),
    column("MatchingPrecedence", { of: "FlowSchemaSpec.matchingPrecedence" }),
    column("DistinguisherMethod", { of: "FlowSchemaSpec.distinguisherMethod" }),
    ageColumn,
    column("MissingPL", { description: "references a broken or non-existent PriorityLevelConfiguration" }),
  ],
  ({ metadata, spec, status }, { age }) => [
    metadata?.name ?? "",
    spec?.priorityLevelConfiguration?.name ?? "",
    spec?.matchingPrecedence ?? 0,
    spec?.distinguisherMethod?.type ?? "<none>",
    age(metadata?.creationTimestamp),
    status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?",
  ],
);

/** Flow schemas that are matched first come first. */
const byPrecedence: TablePrinter["compare"] = (a, b) => precedenceOf(a) - precedenceOf(b) || byName(a, b);

// Stored objects of a kind were normalised to its type.
const precedenceOf = (object: JsonObject): number =>
  (object as unknown as FlowSchema).spec?.matchingPrecedence ?? 0;

function byName(a: JsonObject, b: JsonObject): number {
  const [one, other] = [String(metadataOf(a)["name"]), String(metadataOf(b)["name"])];
  return one < other ? -1 : one > other ? 1 : 0;
}

const priorityLevel = definePrinter(
  PriorityLevelConfiguration,
  [
    nameColumn,
    column("Type", { of: "PriorityLevelConfigurationSpec.type" }),
    column("NominalConcurrencyShares", { of: "LimitedPriorityLevelConfiguration.nominalConcurrencyShares" }),
    column("Queues", { of: "QueuingConfiguration.queues" }),
    column("HandSize", { of: "QueuingConfiguration.handSize" }),
    column("QueueLengthLimit", { of: "QueuingConfiguration.queueLengthLimit" }),
    ageColumn,
  ],
  ({ metadata, spec }, { age }) => {
    const queuing = spec?.limited?.limitResponse?.queuing;
    return [
      metadata?.name ?? "",
      spec?.type ?? "",
      spec?.limited ? (spec.limited.nominalConcurrencyShares ?? 0) : "<none>",
      queuing ? (queuing.queues ?? 0) : "<none>",
      queuing ? (queuing.handSize ?? 0) : "<none>",
      queuing ? (queuing.queueLengthLimit ?? 0) : "<none>",
      age(metadata?.creationTimestamp),
    ];
  },
);

export const flowControlPrinters: readonly TablePrinter[] = [
  { ...flowSchema, compare: byPrecedence },
  priorityLevel,
];
