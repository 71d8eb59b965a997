// The parts that make the API server a cluster: controllers, the scheduler and nodes, sharing one set of caches.
import type { Clock, TransportRequest, TransportResponse } from "@kubewright/api";
import type { CertificateAuthority } from "@kubewright/api/x509";
import type { ControlPlanePart, Peer, UserInfo } from "@kubewright/apiserver";
import { Client } from "@kubewright/client";
import { CachedClient, InformerPool } from "@kubewright/runtime";
import { controlPlaneOf } from "./control-plane.js";
import type { ControllerEnvironment, RunningController } from "./controllers/controller.js";
import { EveryKind } from "./controllers/every-kind.js";
import { builtInControllers } from "./controllers/index.js";
import { installMetricsServer, metricsServer } from "./controllers/metrics-server/index.js";
import {
  installDriver,
  persistentVolumeProvisioner,
} from "./controllers/persistent-volume-provisioner/index.js";
import { type ControllerSelection, selectControllers } from "./controllers/select-controllers.js";
import { EventWriter } from "./events/event-recorder.js";
import { apiServerUser, componentUser, controllerIdentity, kubeletUser } from "./identity/component-user.js";
import { MetricsApi } from "./metrics/metrics-api.js";
import { SimulatedMetrics } from "./metrics/simulated-metrics.js";
import type { ContainerRuntime } from "./nodes/container-runtime.js";
import { type NodesOption, nodeSpecs } from "./nodes/node-spec.js";
import { RuleSet } from "./nodes/rules/rule-set.js";
import { type KubeletAccess, SimulatedNodes } from "./nodes/simulated-nodes.js";
import { SimulatedRuntime } from "./nodes/simulated-runtime.js";

export interface PartsOptions {
  /** The API server. */
  readonly handle: (request: TransportRequest, peer: Peer) => Promise<TransportResponse>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly controllers: ControllerSelection;
  readonly nodes: NodesOption;
  readonly runtime: ContainerRuntime | undefined;
  /** Its name, or `none`. */
  readonly defaultStorageClass: string;
  readonly certificateAuthority: () => CertificateAuthority;
  /** PEM: that CA, and former ones that are still trusted. */
  readonly trustedAuthorities: () => string;
  readonly onAuthority: (listener: () => void) => () => void;
  readonly report: (where: string, error: unknown) => void;
}

/** The names of the controllers that would run; throws when one is not known. */
export function controllersOf(selection: ControllerSelection): ReadonlySet<string> {
  return selectControllers(
    builtInControllers.map(({ name }) => name),
    selection,
  );
}

export class Parts {
  readonly nodes: SimulatedNodes;
  readonly metrics: SimulatedMetrics;
  readonly metricsApi: MetricsApi;
  /** The rules of the simulation. */
  readonly rules = new RuleSet();
  readonly #options: PartsOptions;
  readonly #pool: InformerPool;
  readonly #events: EventWriter;
  readonly #runtime: ContainerRuntime;
  readonly #environment: ControllerEnvironment;
  #running: readonly RunningController[] = [];

  constructor(options: PartsOptions) {
    this.#options = options;
    const { clock, random, report, certificateAuthority } = options;
    const manager = this.#clientAs("kube-controller-manager", componentUser("kube-controller-manager"));
    this.#pool = new InformerPool({
      client: manager,
      clock,
      random,
      onError: ({ kind }, error) => report(`watch ${kind}`, error),
    });
    this.#events = new EventWriter(clock);
    const runtime = options.runtime ?? new SimulatedRuntime({ clock, random, rules: this.rules });
    this.#runtime = runtime;
    this.metrics = new SimulatedMetrics({
      pool: this.#pool,
      runtime,
      isNodeDown: (node) => this.rules.isNodeDown(node),
    });
    this.metricsApi = new MetricsApi(this.metrics, clock);
    this.#environment = {
      client: new CachedClient(manager, this.#pool),
      pool: this.#pool,
      clock,
      random,
      everyKind: new EveryKind({ client: manager, pool: this.#pool, report }),
      rootCertificate: options.trustedAuthorities,
      onRootCertificate: options.onAuthority,
      certificateAuthority,
      metrics: this.metrics,
      events: (component) => this.#events.recorder(manager, component),
      report,
    };
    this.nodes = new SimulatedNodes({
      control: new CachedClient(
        this.#clientAs("kube-controller-manager", controllerIdentity("nodelifecycle").user),
        this.#pool,
      ),
      access: (node) => this.#kubelet(node),
      pool: this.#pool,
      clock,
      random,
      nodes: nodeSpecs(options.nodes),
      runtime,
      rules: this.rules,
      claimsGetBound: controllersOf(options.controllers).has("persistentvolume-binder"),
      report,
    });
  }

  async start(): Promise<void> {
    const names = controllersOf(this.#options.controllers);
    const wanted = builtInControllers.filter(({ name }) => names.has(name));
    const installer = this.#clientAs("kube-apiserver", apiServerUser);
    if (names.has(persistentVolumeProvisioner.name))
      await installDriver(installer, this.#options.defaultStorageClass);
    if (names.has(metricsServer.name)) await installMetricsServer(installer);
    const { clock, random, report } = this.#options;
    await this.#runtime.open?.({ clock, random, rules: this.rules, pool: this.#pool, report });
    const [running] = await Promise.all([
      Promise.all(wanted.map((controller) => controller.start(this.#environmentOf(controller.name)))),
      this.nodes.start(),
    ]);
    this.#running = running;
  }

  /** How the parts of the control plane are. */
  get controlPlane(): readonly ControlPlanePart[] {
    return controlPlaneOf(this.#running.length === 0 ? [] : controllersOf(this.#options.controllers));
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.map((controller) => controller.close()));
    await this.nodes.close();
    await this.#runtime.close?.();
    await this.#events.close();
    await this.#environment.everyKind.close();
    await this.#pool.close();
  }

  /** Each controller acts as itself; what they read is shared. */
  #environmentOf(name: string): ControllerEnvironment {
    const { component, user } = controllerIdentity(name);
    const client = this.#clientAs(component, user);
    return {
      ...this.#environment,
      client: new CachedClient(client, this.#pool),
      events: (speaker) => this.#events.recorder(client, speaker),
    };
  }

  #kubelet(node: string): KubeletAccess {
    const client = this.#clientAs("kubelet", kubeletUser(node));
    return {
      client: new CachedClient(client, this.#pool),
      events: this.#events.recorder(client, "kubelet", node),
    };
  }

  #clientAs(component: string, user: UserInfo): Client {
    return new Client({
      transport: (request) => this.#options.handle(request, { user }),
      clock: this.#options.clock,
      inProcess: true,
      fieldManager: component,
      userAgent: component,
    });
  }
}
