// Events for the changes of a workload's conditions, so that `kubectl describe` shows its history.
import type { ConditionUpdate } from "@kubewright/api";
import type { EventInput } from "../controller/reconcile-context.js";
import type { StatusOwner } from "./workload-report.js";

/** Records what has changed since the status was last written. Refusals have events of their own. */
export function reportTransitions(
  context: { event(event: EventInput): void },
  { status }: StatusOwner,
  conditions: readonly ConditionUpdate[],
  isRefused: boolean,
): void {
  const before = (type: string) => status?.conditions?.find((condition) => condition.type === type);
  const now = (type: string) => conditions.find((condition) => condition.type === type);
  const [wasProgressing, progressing] = [before("Progressing"), now("Progressing")];
  if (wasProgressing && wasProgressing.reason !== "RolledOut" && progressing?.reason === "RolledOut")
    context.event({ reason: "RolledOut", note: "all pods are up to date and available", action: "RollOut" });
  const [wasDegraded, degraded] = [before("Degraded"), now("Degraded")];
  const isNew = degraded?.status === "True" && degraded.reason !== wasDegraded?.reason;
  if (isNew && !isRefused)
    context.event({
      type: "Warning",
      reason: degraded.reason ?? "",
      note: degraded.message ?? "",
      action: "RollOut",
    });
  if (wasDegraded?.status === "True" && degraded?.status === "False")
    context.event({
      reason: "Recovered",
      note: `no longer degraded: ${wasDegraded.reason}`,
      action: "RollOut",
    });
}
