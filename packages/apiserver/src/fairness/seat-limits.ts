// The concurrency limits that kube-apiserver would give each priority level. They limit nothing here; dashboards draw them
// beside the requests in flight.
import type { PriorityLevelConfiguration } from "@kubewright/api";
import { labelText, metricText, type Sample } from "../metrics/exposition.js";
import type { Storage } from "../storage/index.js";
import { priorityLevelTable } from "./default-configuration.js";

/** The default of kube-apiserver: 400 read-only and 200 mutating requests in flight. */
const serverSeats = 600;
/** Shares of a level that names none. */
const usualShares = 30;

/** In Prometheus' format. */
export function seatLimits(storage: Storage): string {
  const shares = [...storage.list(priorityLevelTable, { prefix: "" })].map(
    (object) => [object.metadata.name, sharesOf(object as unknown as PriorityLevelConfiguration)] as const,
  );
  const sum = shares.reduce((total, [, count]) => total + count, 0);
  return metricText(
    "apiserver_flowcontrol_nominal_limit_seats",
    "gauge",
    "[BETA] Nominal number of execution seats configured for each priority level",
    shares.map(([level, count]): Sample => {
      const seats = sum > 0 ? Math.ceil((serverSeats * count) / sum) : 0;
      return [labelText({ priority_level: level }), seats];
    }),
  );
}

function sharesOf({ spec }: PriorityLevelConfiguration): number {
  if (spec?.type === "Exempt") return spec.exempt?.nominalConcurrencyShares ?? 0;
  return spec?.limited?.nominalConcurrencyShares ?? usualShares;
}
