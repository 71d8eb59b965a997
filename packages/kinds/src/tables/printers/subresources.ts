// Kinds that are never stored: what subresources and deletions answer with.
import { isObject, type JsonValue } from "@kubewright/api";
import { ageColumn, column, nameColumn } from "../column.js";
import { metadataOf } from "../partial-metadata.js";
import type { TablePrinter } from "../printer.js";

const scale: TablePrinter = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  columns: [
    { ...nameColumn, format: "" },
    column("Desired", { type: "integer", of: "ScaleSpec.replicas" }),
    column("Available", { type: "integer", of: "ScaleStatus.replicas" }),
    ageColumn,
  ],
  print(object, { age }) {
    const { name, creationTimestamp } = metadataOf(object);
    const created = typeof creationTimestamp === "string" ? creationTimestamp : undefined;
    return { cells: [name, replicasOf(object["spec"]), replicasOf(object["status"]), age(created)] };
  },
};

function replicasOf(part: JsonValue | undefined): JsonValue {
  return isObject(part) ? (part["replicas"] ?? 0) : 0;
}

const status: TablePrinter = {
  group: "",
  version: "v1",
  kind: "Status",
  columns: [
    column("Status", { of: "Status.status" }),
    column("Reason", { of: "Status.reason" }),
    column("Message"),
  ],
  print: (object) => ({ cells: [object["status"] ?? "", object["reason"] ?? "", object["message"] ?? ""] }),
};

export const subresourcePrinters: readonly TablePrinter[] = [scale, status];
