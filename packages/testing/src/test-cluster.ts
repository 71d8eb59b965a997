// A cluster for a test: in this process, with no sockets, with the kinds and controllers under test already running.
import { type Clock, isAlreadyExists, Namespace, Pod } from "@kubewright/api";
import {
  type Cluster,
  type Faults,
  type RuleEffects,
  type RuleHandle,
  type RuleMatch,
  rule,
  seededRandom,
  uidsFrom,
} from "@kubewright/cluster";
import { defineManager, type ManagerDefinition } from "@kubewright/runtime";
import { type Backend, fixedSeed, startBackend } from "./backend.js";
import { grantDerivedAccess, managerAccount } from "./derived-access.js";
import type { ReconcileFailure } from "./failure-report.js";
import { installKinds } from "./install-kinds.js";
import { LeakError, leftOnClock, openHandles, pendingPods } from "./leaks.js";
import { ManagerUnderTest } from "./manager-under-test.js";
import { MissingPermissionError, MissingPermissions } from "./missing-permissions.js";
import type { Connect, TestClusterOptions } from "./test-cluster-options.js";
import { TestNamespace } from "./test-namespace.js";
import { type ScopeOptions, TestScope } from "./test-scope.js";
import { type Duration, milliseconds, VirtualTime } from "./test-time.js";

/**
 * Starts a cluster for a test; disposing of it stops everything.
 *
 * @example
 * await using cluster = await testCluster({ resources: [ModelBox], controllers: [modelBoxController] });
 * await cluster.create(ModelBox, { name: "web", spec: { image: "nginx", ports: [{ port: 80 }] } });
 * await cluster.eventually(Deployment, "web");
 */
export async function testCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const definition = definitionOf(options);
  const backend = await startBackend(options);
  const { time, connect } = backend;
  const errors: ReconcileFailure[] = [];
  const seed = options.seed ?? fixedSeed;
  const onError = (where: string, error: unknown): number => errors.push({ where, error });
  const permissions =
    definition && isDerived(options)
      ? new MissingPermissions(definition.name, (error) => onError("permissions", error))
      : undefined;
  const manager =
    definition &&
    new ManagerUnderTest({
      definition,
      connect: permissions ? asAccount(backend, definition) : connect,
      namespace: backend.namespace,
      webhooks: backend.webhooks,
      permissions,
      middleware: options.middleware,
      observer: options.observer,
      reload: options.reload,
      clock: options.managerClock?.(time.clock) ?? time.clock,
      random: seededRandom(seed, "manager"),
      newId: uidsFrom(seededRandom(seed, "reconciles")),
      onError,
    });
  const cluster = new TestCluster({ ...backend, errors, manager, permissions, leaks: options.leaks });
  try {
    await time.run(prepare(cluster, options, permissions && definition));
  } catch (error) {
    await cluster.abandon();
    throw error;
  }
  return cluster;
}

/** Only an embedded cluster accepts a client under any identity. */
const isDerived = ({ permissions = "derived", connect }: TestClusterOptions): boolean =>
  permissions === "derived" && connect === undefined;

function asAccount({ embedded, connect, namespace }: Backend, definition: ManagerDefinition): Connect {
  const user = managerAccount(definition, namespace);
  return (settings) => embedded?.connect({ ...settings, user }) ?? connect(settings);
}

async function prepare(
  cluster: TestCluster,
  { resources = [] }: TestClusterOptions,
  granted: ManagerDefinition | undefined,
): Promise<void> {
  const { client, namespace } = cluster;
  if (namespace !== "default")
    await client.create(Namespace, { metadata: { name: namespace } }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  await installKinds(client, resources);
  if (granted) await grantDerivedAccess(client, granted, namespace);
  await cluster.manager?.start();
}

function definitionOf(options: TestClusterOptions): ManagerDefinition | undefined {
  const { manager, controllers = [], webhooks = [] } = options;
  const isEmpty = controllers.length + webhooks.length === 0;
  if (manager && !isEmpty)
    throw new TypeError("give a manager, or controllers and webhooks, not both: a manager names its own");
  if (manager) return manager;
  return isEmpty ? undefined : defineManager({ name: "test", controllers, webhooks });
}

/** The parts that a test cluster is made of. */
export interface TestClusterParts extends ScopeOptions {
  readonly embedded: Cluster | undefined;
  readonly manager: ManagerUnderTest | undefined;
  /** The requests the manager was refused, where it runs with derived permissions. */
  readonly permissions?: MissingPermissions | undefined;
  readonly leaks: TestClusterOptions["leaks"];
}

/** A cluster for a test, with the operator under test running on it. */
export class TestCluster extends TestScope {
  /** The manager under test, if there is one. */
  readonly manager: ManagerUnderTest | undefined;
  readonly #embedded: Cluster | undefined;
  readonly #leaks: "warn" | "fail" | "ignore";
  readonly #permissions: MissingPermissions | undefined;
  #serial = 0;

  constructor(parts: TestClusterParts) {
    super(parts);
    this.#embedded = parts.embedded;
    this.manager = parts.manager;
    this.#permissions = parts.permissions;
    this.#leaks = parts.leaks ?? "warn";
  }

  /** The embedded cluster. */
  get cluster(): Cluster {
    return this.#embedded ?? notEmbedded("it is not in this process");
  }

  /** The time of the cluster and of the manager. */
  get clock(): Clock {
    return this.time.clock;
  }

  /** Makes requests fail and watches break, on purpose. */
  get faults(): Faults {
    return this.cluster.faults;
  }

  /**
   * A namespace of its own, gone again when it is disposed of.
   *
   * @example await using test = await cluster.forTest();
   */
  async forTest(name?: string): Promise<TestNamespace> {
    const metadata = name === undefined ? { generateName: `test-${++this.#serial}-` } : { name };
    const created = await this.client.create(Namespace, { metadata });
    const { client, time, errors } = this;
    const scope = new TestNamespace({ client, time, errors, namespace: created.metadata?.name ?? "" });
    return scope;
  }

  /** Lets time pass, and everything that falls due come to rest. In real time, sleeps. */
  advance(duration: Duration): Promise<void> {
    return this.time.advance(milliseconds(duration));
  }

  /** Waits, with time standing still, until nothing more happens. Virtual time only. */
  settle(): Promise<void> {
    return this.time.settle();
  }

  /** Waits for a promise that needs time to pass, letting it pass. */
  run<T>(work: Promise<T>): Promise<T> {
    return this.time.run(work);
  }

  /** Milliseconds since 1970, as the cluster has it. */
  now(): number {
    return this.time.clock.now();
  }

  /** Stops the manager in order and starts it again. */
  async restartManager(): Promise<void> {
    const manager = this.#manager();
    await this.run(manager.stop());
    await this.run(manager.start());
  }

  /** Ends the manager as a crash does: in the middle of whatever it does, with nothing tidied up. */
  crashManager(): void {
    this.#manager().crash();
  }

  /** Starts the manager again after a crash. */
  async startManager(): Promise<void> {
    await this.run(this.#manager().start());
  }

  /** Adds a rule for simulated pods and nodes, until the handle is removed. */
  simulate(match: RuleMatch, effects: RuleEffects): RuleHandle {
    return this.cluster.simulate(rule(match, effects));
  }

  /** Takes a node down, with the kubelet's reports on its pods, until the handle is removed. */
  killNode(name: string): RuleHandle {
    return this.simulate({ node: name }, { nodeDown: true });
  }

  /** Takes a pod away at once, as the loss of its containers does. */
  async killPod(name: string, namespace = this.namespace): Promise<void> {
    await this.client.delete(Pod, name, { namespace, gracePeriodSeconds: 0 });
  }

  /** Stops everything, and reports leaks and missing permissions. */
  async close(): Promise<void> {
    const leaks: string[] = [];
    await this.run(this.#stopManager());
    if (this.#embedded) {
      if (this.time instanceof VirtualTime) await this.time.settle();
      leaks.push(...openHandles(this.#embedded), ...(await pendingPods(this.#embedded)));
      await this.run(this.#embedded.close());
      leaks.push(...leftOnClock(this.time.clock));
    } else await this.#leaveRealCluster();
    const missing = this.#permissions?.lines() ?? [];
    if (missing.length > 0) throw new MissingPermissionError(missing.join("\n"));
    this.#reportLeaks(leaks);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Stops what runs, whatever state it is in. */
  async abandon(): Promise<void> {
    await this.run(this.#stopManager()).catch(() => undefined);
    if (this.#embedded) await this.run(this.#embedded.close());
  }

  /** The namespace was made for this suite. */
  async #leaveRealCluster(): Promise<void> {
    if (this.namespace !== "default") await this.client.delete(Namespace, this.namespace);
    await this.client[Symbol.asyncDispose]();
  }

  async #stopManager(): Promise<void> {
    await this.manager?.stop();
    await this.manager?.buried();
  }

  #manager(): ManagerUnderTest {
    if (!this.manager) throw new Error("this test cluster was given no manager and no controllers");
    return this.manager;
  }

  #reportLeaks(leaks: readonly string[]): void {
    if (leaks.length === 0 || this.#leaks === "ignore") return;
    const message = `left over at the end of a test cluster:\n${leaks.map((leak) => `  ${leak}`).join("\n")}`;
    if (this.#leaks === "fail") throw new LeakError(message);
    process.emitWarning(message, "KubewrightLeakWarning");
  }
}

function notEmbedded(why: string): never {
  throw new Error(`this needs an embedded cluster: ${why}`);
}
