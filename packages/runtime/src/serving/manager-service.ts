// A service that a manager runs beside its controllers, whether it leads or not: servers for probes, metrics and webhooks.
//
// They start in the order given, before the caches fill, and close in the reverse order after the controllers have stopped,
// so that probes are answered for as long as the process lives.

/** A service of a manager. */
export interface ManagerService {
  readonly name: string;
  /** Resolves when it serves; rejects when it cannot, which stops the manager. */
  start(): Promise<void>;
  /** Resolves when nothing of it is left. Called also when `start` failed. */
  close(): Promise<void>;
}
