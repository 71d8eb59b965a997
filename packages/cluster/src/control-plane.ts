// The parts of a control plane as administrators know them: all controllers are one manager's, and the scheduler stands apart.
import { type ControlPlanePart, unreachablePart } from "@kubewright/apiserver";
import { scheduler } from "./scheduler/scheduler.js";

/** How they are while these controllers run. */
export function controlPlaneOf(controllers: Iterable<string>): readonly ControlPlanePart[] {
  const running = new Set(controllers);
  const schedules = running.delete(scheduler.name);
  return [
    running.size > 0 ? healthy("controller-manager") : unreachablePart("controller-manager", 10257),
    schedules ? healthy("scheduler") : unreachablePart("scheduler", 10259),
    healthy("etcd-0"),
  ];
}

const healthy = (name: string): ControlPlanePart => ({ name, isHealthy: true, message: "ok" });
