// The list of printers. A new family joins by one line; kinds that are not here show their name and date.
import { apiVersionOf, type GroupVersionKind } from "@kubewright/api";
import type { TablePrinter } from "../printer.js";
import { accessPrinters } from "./access.js";
import { configurationPrinters } from "./configuration.js";
import { devicePrinters } from "./devices.js";
import { eventPrinters } from "./events.js";
import { extensionPrinters } from "./extension-points.js";
import { flowControlPrinters } from "./flow-control.js";
import { jobPrinters } from "./jobs.js";
import { networkingPrinters } from "./networking.js";
import { nodePrinters } from "./nodes.js";
import { podPrinter } from "./pod.js";
import { scalingPrinters } from "./scaling.js";
import { servicePrinters } from "./services.js";
import { subresourcePrinters } from "./subresources.js";
import { volumePrinters } from "./volumes.js";
import { workloadPrinters } from "./workloads.js";

/** Every printer. */
export const allPrinters: readonly TablePrinter[] = [
  podPrinter,
  ...workloadPrinters,
  ...jobPrinters,
  ...servicePrinters,
  ...networkingPrinters,
  ...configurationPrinters,
  ...nodePrinters,
  ...volumePrinters,
  ...eventPrinters,
  ...scalingPrinters,
  ...accessPrinters,
  ...extensionPrinters,
  ...flowControlPrinters,
  ...devicePrinters,
  ...subresourcePrinters,
];

const printers: ReadonlyMap<string, TablePrinter> = new Map(
  allPrinters.map((printer) => [keyOf(printer), printer]),
);

/** The printer of a built-in kind, if it has one. */
export function printerOf(gvk: GroupVersionKind): TablePrinter | undefined {
  return printers.get(keyOf(gvk));
}

function keyOf(gvk: GroupVersionKind): string {
  return `${apiVersionOf(gvk)} ${gvk.kind}`;
}
