// The finalizer that holds an object back until its clean-up has succeeded.
//
// Flow
// - Before the first reconcile of an object the finalizer is put on it. Only then may reconcile do anything outside.
// - When the object is deleted, `finalize` is called, again and again until it succeeds.
// - Then, and only then, the finalizer is removed, and the object goes.
//
// Guarantees
// - No reconcile runs for an object that does not have the finalizer.
// - Finalizers of others are never touched: each patch tests that it changes what it thinks it changes, and is a quiet
//   retry when it does not.
//
// Caveats
// - Clean-up may run more than once (the process ends between clean-up and removal): it must be safe to repeat.
// - Objects made before `finalize` was added get the finalizer at their next reconcile.
// - An operator that is removed for good leaves its finalizers behind: delete its objects first.
import { hasFinalizer, type KubeObject } from "@kubewright/api";
import type { JsonPatchOperation } from "@kubewright/client";
import type { CachedClient } from "../informer/cached-client.js";
import type { AnyResource } from "./kinds.js";
import type { Run } from "./run.js";
import { testedPatch } from "./tested-patch.js";

export interface FinalizerOptions {
  readonly client: CachedClient;
  readonly resource: AnyResource;
  readonly fieldManager: string;
  /** Of the form `domain/name`. */
  readonly name: string;
}

export class Finalizer {
  readonly #options: FinalizerOptions;

  constructor(options: FinalizerOptions) {
    this.#options = options;
  }

  isOn(object: KubeObject): boolean {
    return hasFinalizer(object, this.#options.name);
  }

  /** Puts the finalizer on an object that has none; returns the object with it. */
  add(object: KubeObject, run: Run): Promise<KubeObject> {
    const { name } = this.#options;
    const finalizers = object.metadata?.finalizers;
    const operation: JsonPatchOperation = finalizers?.length
      ? { op: "add", path: "/metadata/finalizers/-", value: name }
      : { op: "add", path: "/metadata/finalizers", value: [name] };
    // Absent and empty are the same to the server, which leaves an empty list out.
    const test = {
      op: "test",
      path: "/metadata/finalizers",
      value: finalizers?.length ? finalizers : null,
    } as const;
    return this.#patch(object, [test, operation], run);
  }

  /** Takes the finalizer off. */
  remove(object: KubeObject, run: Run): Promise<KubeObject> {
    const { name } = this.#options;
    const path = `/metadata/finalizers/${object.metadata?.finalizers?.indexOf(name)}`;
    return this.#patch(
      object,
      [
        { op: "test", path, value: name },
        { op: "remove", path },
      ],
      run,
    );
  }

  #patch(object: KubeObject, operations: readonly JsonPatchOperation[], run: Run): Promise<KubeObject> {
    const { client, resource, fieldManager } = this.#options;
    return run.write((bounds) =>
      testedPatch(client, resource, object, operations, { ...bounds, fieldManager }),
    );
  }
}
