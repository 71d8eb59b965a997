// What a manager runs beside its controllers, whether it leads or not: servers for probes, metrics and webhooks.
//
// They start in the order given, before the caches fill, and close in the reverse order after the controllers have stopped,
// so that probes are answered for as long as the process lives.
import { webhookService } from "../webhook/webhook-service.js";
import type { ManagerDefinition } from "./define-manager.js";
import type { ManagerEnvironment } from "./environment.js";
import type { StartOptions } from "./start-options.js";

/** Something with a life of its own inside a manager. */
export interface ManagerService {
  readonly name: string;
  /** Resolves when it serves; rejects when it cannot, which stops the manager. */
  start(): Promise<void>;
  /** Resolves when nothing of it is left. Called also when `start` failed. */
  close(): Promise<void>;
}

/** The services of a manager, in the order they start. */
export function servicesOf(
  definition: ManagerDefinition,
  options: StartOptions,
  environment: ManagerEnvironment,
): readonly ManagerService[] {
  const webhooks = webhookService(definition, options, environment);
  return [...environment.observation.services, ...(webhooks ? [webhooks] : [])];
}
