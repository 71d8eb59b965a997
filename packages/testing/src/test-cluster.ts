// A cluster for a test: in this process, with no sockets, with the kinds and controllers under test already running.
import {
  CustomResourceDefinition,
  type KubeObject,
  Namespace,
  type ObjectMeta,
  type ResourceDescriptor,
} from "@kubewright/api";
import { type Client, hasCondition, isAbsent, waitFor } from "@kubewright/client";
import { type Cluster, startCluster } from "@kubewright/cluster";
import {
  type ControllerDefinition,
  defineManager,
  type RunningManager,
  startManager,
} from "@kubewright/runtime";
import { failureReport } from "./failure-report.js";

/** A kind that can install itself: what `defineResource` returns. */
export interface InstallableResource {
  crd(): CustomResourceDefinition;
}

export interface TestClusterOptions {
  /** Custom kinds to install. */
  readonly resources?: readonly InstallableResource[] | undefined;
  /** Controllers to run, as one manager. */
  readonly controllers?: readonly ControllerDefinition[] | undefined;
  /** Where objects go that name no namespace; `default` unless told, created when missing. */
  readonly namespace?: string | undefined;
}

export interface EventuallyOptions {
  readonly namespace?: string | undefined;
  /** Real milliseconds; 5,000 unless told. */
  readonly timeout?: number | undefined;
}

/** An object to create: the short form has its name beside its spec. */
export type NewObject<Input> =
  | Input
  | (Omit<Input, "metadata" | "apiVersion" | "kind"> & { readonly name: string });

/**
 * Starts a cluster for a test; disposing of it stops everything.
 *
 * @example
 * await using cluster = await testCluster({ resources: [ModelBox], controllers: [modelBoxController] });
 * await cluster.create(ModelBox, { name: "web", spec: { image: "nginx", ports: [{ port: 80 }] } });
 * await cluster.eventually(Deployment, "web");
 */
export async function testCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const cluster = await startCluster();
  const { client } = cluster;
  const namespace = options.namespace ?? "default";
  if (namespace !== "default") await client.create(Namespace, { metadata: { name: namespace } });
  for (const resource of options.resources ?? []) await install(client, resource);
  const errors: ReconcileFailure[] = [];
  const controllers = options.controllers ?? [];
  const manager =
    controllers.length > 0
      ? await startManager(defineManager({ name: "test", controllers }), {
          client,
          onError: (where, error) => errors.push({ where, error }),
        })
      : undefined;
  return new TestCluster(cluster, manager, namespace, errors);
}

async function install(client: Client, resource: InstallableResource): Promise<void> {
  const definition = await client.create(CustomResourceDefinition, resource.crd());
  await waitFor(
    client,
    CustomResourceDefinition,
    definition.metadata?.name ?? "",
    hasCondition("Established"),
  );
}

/** Something a controller or its caches reported. */
export interface ReconcileFailure {
  readonly where: string;
  readonly error: unknown;
}

export class TestCluster {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly namespace: string;
  /** What controllers reported as failed so far. Conflicts are not among them. */
  readonly errors: readonly ReconcileFailure[];
  readonly #manager: RunningManager | undefined;

  constructor(
    cluster: Cluster,
    manager: RunningManager | undefined,
    namespace: string,
    errors: readonly ReconcileFailure[],
  ) {
    this.cluster = cluster;
    this.client = cluster.client;
    this.namespace = namespace;
    this.errors = errors;
    this.#manager = manager;
  }

  /** Creates an object, in the cluster's namespace unless it names one. */
  create<T extends KubeObject, Input extends KubeObject>(
    resource: ResourceDescriptor<T, Input>,
    object: NewObject<NoInfer<Input>>,
  ): Promise<T> {
    const { name, metadata, ...rest } = object as { name?: string; metadata?: ObjectMeta };
    const whole = { ...rest, metadata: this.#placed(resource, { ...metadata, ...(name ? { name } : {}) }) };
    return this.client.create(resource, whole as Input);
  }

  get<T extends KubeObject, Input>(resource: ResourceDescriptor<T, Input>, name: string): Promise<T> {
    return this.client.get(resource, name, { namespace: this.namespace });
  }

  async delete<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
  ): Promise<void> {
    await this.client.delete(resource, name, { namespace: this.namespace });
  }

  /** Waits until the object exists and the wish, if there is one, is true of it. Fails with what is there instead. */
  async eventually<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    wish: (object: NoInfer<T>) => boolean = () => true,
    options: EventuallyOptions = {},
  ): Promise<T> {
    const found = await this.#wait(resource, name, (object) => object !== undefined && wish(object), options);
    if (found === undefined) throw new Error(`${resource.kind} ${name} vanished`);
    return found;
  }

  /** Waits until the object is gone. */
  async eventuallyGone<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    options: EventuallyOptions = {},
  ): Promise<void> {
    await this.#wait(resource, name, isAbsent, options);
  }

  async close(): Promise<void> {
    await this.#manager?.close();
    await this.cluster.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #wait<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    wish: (object: T | undefined) => boolean,
    { namespace = this.namespace, timeout = 5_000 }: EventuallyOptions,
  ): Promise<T | undefined> {
    const place = resource.scope === "Namespaced" ? { namespace } : {};
    try {
      return await waitFor(this.client, resource, name, wish, { ...place, timeout });
    } catch (cause) {
      throw new Error(await failureReport(this.client, resource, name, namespace, this.errors, timeout), {
        cause,
      });
    }
  }

  #placed({ scope }: Pick<ResourceDescriptor, "scope">, metadata: ObjectMeta): ObjectMeta {
    return scope === "Namespaced" ? { namespace: this.namespace, ...metadata } : metadata;
  }
}
