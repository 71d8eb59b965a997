// The test scope, one namespace: creates objects, reads them, and waits until expectations hold.
import { isNotFound, type KubeObject, type ObjectMeta, type ResourceDescriptor } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { described, lastOutcome, lastSeen, type ReconcileFailure, surroundings } from "./failure-report.js";
import { type Duration, milliseconds, type TestTime } from "./test-time.js";

/** Where a test looks for a state, and how long it waits for it. */
export interface EventuallyOptions {
  /** Default: the scope's own. */
  readonly namespace?: string | undefined;
  /** Default: ten minutes of virtual time, or five seconds of real time. */
  readonly timeout?: Duration | undefined;
}

/** An object to create: the short form has its name beside its spec. */
export type NewObject<Input> =
  | Input
  | (Omit<Input, "metadata" | "apiVersion" | "kind"> & { readonly name: string });

/** A condition as `status.conditions` has it. */
export interface WithConditions extends KubeObject {
  readonly status?: { readonly conditions?: readonly ConditionLike[] | undefined } | undefined;
}

interface ConditionLike {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** Thrown when an expectation is not met in time; its message shows what was there instead. */
export class ExpectationError extends Error {
  override readonly name = "ExpectationError";
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** What a scope of a test works with. */
export interface ScopeOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly time: TestTime;
  readonly errors: readonly ReconcileFailure[];
}

/** Creates, reads and waits for objects in one namespace of a test cluster. */
export class TestScope {
  readonly client: Client;
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** The failures that controllers reported so far. Conflicts are not among them. */
  readonly errors: readonly ReconcileFailure[];
  protected readonly time: TestTime;

  constructor({ client, namespace, time, errors }: ScopeOptions) {
    this.client = client;
    this.namespace = namespace;
    this.time = time;
    this.errors = errors;
  }

  /** Creates an object, in the scope's namespace unless it names one. */
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

  async list<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    labelSelector?: string,
  ): Promise<readonly T[]> {
    return (await this.client.list(resource, { namespace: this.namespace, labelSelector })).items;
  }

  async delete<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
  ): Promise<void> {
    await this.client.delete(resource, name, { namespace: this.namespace });
  }

  /** Waits until the object exists and meets the expectation, if there is one. Fails with a report of its current state. */
  eventually<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    expectation?: (object: NoInfer<T>) => boolean,
    options?: EventuallyOptions,
  ): Promise<T>;
  /** Waits until the function returns something other than `false` without throwing, and returns that. */
  eventually<V>(attempt: () => V | Promise<V>, options?: EventuallyOptions): Promise<Exclude<V, false>>;
  eventually<T extends KubeObject, Input, V>(
    what: ResourceDescriptor<T, Input> | (() => V | Promise<V>),
    nameOrOptions: string | EventuallyOptions = {},
    expectation: (object: T) => boolean = () => true,
    options: EventuallyOptions = {},
  ): Promise<unknown> {
    if (typeof nameOrOptions === "string" && typeof what !== "function")
      return this.#object(
        what,
        nameOrOptions,
        (object) => object !== undefined && expectation(object),
        options,
      );
    if (typeof what === "function" && typeof nameOrOptions !== "string")
      return this.#attempt(what, nameOrOptions);
    throw new TypeError("eventually takes a kind and a name, or a function");
  }

  /** Waits until the object is gone. */
  async eventuallyGone<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    options: EventuallyOptions = {},
  ): Promise<void> {
    await this.#object(resource, name, (object) => object === undefined, options);
  }

  /**
   * Waits until a condition has a status (default: `True`), as `kubectl wait --for=condition=Available` does.
   *
   * @example await cluster.condition(Deployment, "web", "Available");
   */
  condition<T extends WithConditions, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    type: string,
    status: "True" | "False" | "Unknown" = "True",
    options: EventuallyOptions = {},
  ): Promise<T | undefined> {
    const expectation = (object: T | undefined): boolean => {
      const found = object?.status?.conditions?.find((condition) => condition.type === type);
      return found?.status === status;
    };
    return this.#object(resource, name, expectation, options, `has no condition ${type}=${status}`);
  }

  /** Fails as soon as the function throws or returns `false`, at any moment of the duration. */
  async consistently(check: () => unknown, duration: Duration): Promise<void> {
    await this.time.during(async () => {
      let outcome: Outcome;
      try {
        outcome = { value: await check() };
      } catch (error) {
        outcome = { error };
      }
      if ("value" in outcome && outcome.value !== false) return;
      throw await this.#failure(["what was to hold all the time did not", lastOutcome(outcome)], outcome);
    }, milliseconds(duration));
  }

  async #object<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    expectation: (object: T | undefined) => boolean,
    { namespace = this.namespace, timeout = this.time.timeout }: EventuallyOptions = {},
    what = "did not meet the expectation",
  ): Promise<T | undefined> {
    const place = resource.scope === "Namespaced" ? { namespace } : {};
    let found: T | undefined;
    const check = async (): Promise<boolean> => {
      found = await this.client.get(resource, name, place).catch(absent);
      return expectation(found);
    };
    try {
      await this.time.until(check, milliseconds(timeout));
      return found;
    } catch (cause) {
      const head = `${described(resource, name, namespace)} ${what} within ${milliseconds(timeout)} ms`;
      throw await this.#failure(
        [head, await lastSeen(this.client, resource, name, namespace)],
        { error: cause },
        name,
      );
    }
  }

  async #attempt<V>(
    attempt: () => V | Promise<V>,
    { timeout = this.time.timeout }: EventuallyOptions = {},
  ): Promise<V> {
    let outcome: Outcome | undefined;
    let found: V | undefined;
    const check = async (): Promise<boolean> => {
      try {
        found = await attempt();
        outcome = { value: found };
        return found !== false;
      } catch (error) {
        outcome = { error };
        return false;
      }
    };
    try {
      await this.time.until(check, milliseconds(timeout));
      return found as V;
    } catch (error) {
      const head = `what was waited for did not happen within ${milliseconds(timeout)} ms`;
      throw await this.#failure([head, lastOutcome(outcome)], outcome ?? { error });
    }
  }

  async #failure(head: readonly string[], outcome: Outcome, name?: string): Promise<ExpectationError> {
    const lines = [...head, ...(await surroundings(this, name))];
    return new ExpectationError(lines.join("\n"), "error" in outcome ? { cause: outcome.error } : {});
  }

  #placed({ scope }: Pick<ResourceDescriptor, "scope">, metadata: ObjectMeta): ObjectMeta {
    return scope === "Namespaced" ? { namespace: this.namespace, ...metadata } : metadata;
  }
}

function absent(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}
