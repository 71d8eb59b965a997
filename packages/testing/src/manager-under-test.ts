// The manager under test, and its end: an orderly stop, or a crash, after which nothing it does reaches the cluster.
import type { Clock, TransportRequest } from "@kubewright/api";
import { ConnectionError, type Middleware } from "@kubewright/client";
import {
  clientNames,
  type ManagerDefinition,
  type ReconcileObserver,
  type RunningManager,
  type StartOptions,
  startManager,
} from "@kubewright/runtime";
import type { LocalWebhooks } from "./local-webhooks.js";
import type { MissingPermissions } from "./missing-permissions.js";
import type { Connect } from "./test-cluster-options.js";

/** Options of the manager of a test cluster. */
export interface ManagerUnderTestOptions {
  readonly definition: ManagerDefinition;
  readonly connect: Connect;
  /** The namespace of its lease. */
  readonly namespace: string;
  /** The registry through which its webhooks are called; without it they are not served. */
  readonly webhooks: LocalWebhooks | undefined;
  /** The definition of every life but the first. Default: the same again. */
  readonly reload?: (() => ManagerDefinition | Promise<ManagerDefinition>) | undefined;
  /** Sees every request of the manager that is sent. */
  readonly middleware?: readonly Middleware[] | undefined;
  readonly observer?: ReconcileObserver | undefined;
  /** Called with each request the manager was refused. */
  readonly permissions?: MissingPermissions | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  readonly onError: (where: string, error: unknown) => void;
}

/** One life of the manager. */
interface Life {
  isCut: boolean;
  running: RunningManager | undefined;
}

const writes = new Set(["POST", "PUT", "PATCH", "DELETE"]);
/** Asking for permission is no change. */
const isReview = ({ path }: TransportRequest): boolean => path.startsWith("/apis/authorization.k8s.io/");

/** The manager of a test cluster, which can be stopped, crashed and started again. */
export class ManagerUnderTest {
  readonly #options: ManagerUnderTestOptions;
  readonly #dying = new Set<Promise<void>>();
  readonly #written: string[] = [];
  #life: Life | undefined;
  #lives = 0;

  constructor(options: ManagerUnderTestOptions) {
    this.#options = options;
  }

  /** Every write so far, in all lives, as `PATCH /apis/apps/v1/…`. */
  get writes(): readonly string[] {
    return this.#written;
  }

  async start(): Promise<void> {
    if (this.#life) throw new Error("the manager runs already");
    const { connect, namespace, clock, random, newId, onError } = this.#options;
    const life: Life = { isCut: false, running: undefined };
    this.#life = life;
    // Loading takes real time, which virtual time must not overtake.
    const loaded = clock.busy("the manager is loaded");
    const definition = await Promise.resolve(this.#load()).finally(loaded);
    const client = connect({
      ...clientNames(definition),
      middleware: [this.#link(life), ...(this.#options.middleware ?? [])],
    });
    life.running = await startManager(definition, {
      client,
      namespace,
      clock,
      random,
      newId,
      webhooks: this.#serving(life),
      freeze: true,
      observer: this.#options.observer,
      onError: (where, error) => {
        if (!life.isCut) onError(where, error);
      },
    });
    if (life.isCut) this.#bury(life);
  }

  #load(): ManagerDefinition | Promise<ManagerDefinition> {
    const { definition, reload } = this.#options;
    this.#lives += 1;
    return this.#lives > 1 && reload ? reload() : definition;
  }

  /** Stops in order. */
  async stop(): Promise<void> {
    const life = this.#life;
    this.#life = undefined;
    await life?.running?.close();
  }

  /** From now on nothing of this life reaches the cluster: no lease is given back, no event written. */
  crash(): void {
    const life = this.#life;
    if (!life) return;
    this.#life = undefined;
    life.isCut = true;
    this.#bury(life);
  }

  /** Resolves when crashed lives have left nothing behind in this process. */
  async buried(): Promise<void> {
    await Promise.all(this.#dying);
  }

  #bury({ running }: Life): void {
    if (!running) return;
    const dying = running
      .close()
      .catch(() => undefined)
      .finally(() => this.#dying.delete(dying));
    this.#dying.add(dying);
  }

  /** A manager that has crashed answers no webhook any more. */
  #serving(life: Life): StartOptions["webhooks"] {
    const { webhooks } = this.#options;
    if (!webhooks) return false;
    return {
      mode: "local",
      connect: (service, call) =>
        webhooks.connect(service, (path, body) => {
          if (life.isCut) throw new Error("connection refused: the manager has crashed");
          return call(path, body);
        }),
    };
  }

  #link(life: Life): Middleware {
    return (next) => async (request) => {
      const refuse = (): never => {
        throw new ConnectionError(`${request.method} ${request.path}: the manager has crashed`, "closed");
      };
      if (life.isCut) return refuse();
      const response = await next(request);
      if (!life.isCut) this.#options.permissions?.note(response);
      if (writes.has(request.method) && !isReview(request) && response.status < 400)
        this.#written.push(`${request.method} ${request.path}`);
      return life.isCut ? refuse() : response;
    };
  }

  /** Ends as a crash does, and begins a new life at once. `waits`: it begins to work only when virtual time goes on, as where watches are held. */
  crashAndRestart({ waits = false }: { readonly waits?: boolean } = {}): void {
    this.crash();
    const done = waits ? () => undefined : this.#options.clock.busy("the manager restarts");
    this.start()
      .catch((error: unknown) => this.#options.onError("restart", error))
      .finally(done);
  }
}
