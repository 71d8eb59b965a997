// A manager is what a process runs: controllers with their shared caches. Defining one starts nothing, so that tools can
// read it too.
import type { ControllerDefinition } from "../controller/define-controller.js";

export interface ManagerOptions {
  /** Names the operator: its field manager, its lease, its user agent. */
  readonly name: string;
  readonly controllers: readonly ControllerDefinition[];
}

/** An operator, ready to be started against any cluster. */
export interface ManagerDefinition extends ManagerOptions {
  readonly kind: "kubewright.manager";
}

/** @example export default defineManager({ name: "modelbox", controllers: [modelBoxController] }); */
export function defineManager(options: ManagerOptions): ManagerDefinition {
  const names = new Set<string>();
  for (const { name } of options.controllers) {
    if (names.has(name))
      throw new Error(`manager "${options.name}" has two controllers named "${name}"; give one another name`);
    names.add(name);
  }
  return { ...options, kind: "kubewright.manager" };
}
