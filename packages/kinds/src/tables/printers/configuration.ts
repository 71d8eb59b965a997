// Namespaces and the small things that live in them.
import { ConfigMap, Namespace, ResourceQuota, Secret, ServiceAccount } from "@kubewright/api";
import { ageColumn, column, nameColumn } from "../column.js";
import { definePrinter, type TablePrinter } from "../printer.js";

const size = (map: object | null | undefined): number => Object.keys(map ?? {}).length;

const namespace = definePrinter(
  Namespace,
  [nameColumn, column("Status", { description: "The status of the namespace" }), ageColumn],
  ({ metadata, status }, { age }) => [
    metadata?.name ?? "",
    status?.phase ?? "",
    age(metadata?.creationTimestamp),
  ],
);

const configMap = definePrinter(
  ConfigMap,
  [nameColumn, column("Data", { of: "ConfigMap.data" }), ageColumn],
  ({ metadata, data, binaryData }, { age }) => [
    metadata?.name ?? "",
    size(data) + size(binaryData),
    age(metadata?.creationTimestamp),
  ],
);

const secret = definePrinter(
  Secret,
  [nameColumn, column("Type", { of: "Secret.type" }), column("Data", { of: "Secret.data" }), ageColumn],
  ({ metadata, type, data }, { age }) => [
    metadata?.name ?? "",
    type ?? "",
    size(data),
    age(metadata?.creationTimestamp),
  ],
);

const serviceAccount = definePrinter(ServiceAccount, [nameColumn, ageColumn], ({ metadata }, { age }) => [
  metadata?.name ?? "",
  age(metadata?.creationTimestamp),
]);

const resourceQuota = definePrinter(
  ResourceQuota,
  [
    nameColumn,
    column("Request", {
      description: "Request represents a minimum amount of cpu/memory that a container may consume.",
    }),
    column("Limit", {
      description:
        "Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.",
    }),
    ageColumn,
  ],
  ({ metadata, status }, { age }) => {
    const names = Object.keys(status?.hard ?? {}).sort();
    const used = new Map(Object.entries(status?.used ?? {}));
    const text = (name: string): string => `${name}: ${used.get(name) ?? "0"}/${status?.hard?.[name]}`;
    const isLimit = (name: string): boolean => name.startsWith("limits.");
    return [
      metadata?.name ?? "",
      names
        .filter((name) => !isLimit(name))
        .map(text)
        .join(", "),
      names.filter(isLimit).map(text).join(", "),
      age(metadata?.creationTimestamp),
    ];
  },
);

export const configurationPrinters: readonly TablePrinter[] = [
  namespace,
  configMap,
  secret,
  serviceAccount,
  resourceQuota,
];
