// The status a reconcile has set so far, written once at its end.
import { type Condition, type ConditionUpdate, isObject, type KubeObject } from "@kubewright/api";
import type { JsonRecord } from "../apply/json-record.js";
import type { AnyResource } from "../kinds.js";
import type { StatusOptions } from "../reconcile-context.js";
import type { Run } from "../run.js";
import { statusPointer } from "./status-patch.js";
import type { StatusWriter } from "./status-writer.js";

export interface StatusScope {
  readonly controller: string;
  readonly resource: AnyResource;
  /** Undefined for a controller that writes no status. */
  readonly statusWriter: StatusWriter | undefined;
}

export class StatusDraft {
  readonly #scope: StatusScope;
  readonly #run: Run;
  #fields: Record<string, unknown> | undefined;
  /** The debounce of a field in milliseconds, by its JSON pointer. */
  #debounce: Map<string, number> | undefined;

  constructor(scope: StatusScope, run: Run) {
    this.#scope = scope;
    this.#run = run;
  }

  /** Sets fields; conditions are merged by type with those set before. */
  set(status: JsonRecord, { debounce = 0 }: StatusOptions = {}): void {
    const { controller, resource, statusWriter } = this.#scope;
    if (!statusWriter)
      throw new Error(
        `controller ${controller}: the status of ${resource.kind} may not be written: writesStatus is false`,
      );
    const { conditions } = status;
    if (debounce > 0) this.#debounce ??= new Map();
    for (const name in status) this.#debounce?.set(statusPointer(name), debounce);
    const before = this.conditions;
    this.#fields = { ...this.#fields, ...status };
    if (!Array.isArray(conditions)) return;
    const types = new Set(conditions.map(({ type }: ConditionUpdate) => type));
    this.#fields["conditions"] = [...before.filter(({ type }) => !types.has(type)), ...conditions];
  }

  /** The conditions set so far. */
  get conditions(): readonly ConditionUpdate[] {
    const conditions = this.#fields?.["conditions"];
    return Array.isArray(conditions) ? conditions : [];
  }

  /** The conditions of the object as it is. */
  get liveConditions(): readonly Condition[] {
    const { object } = this.#run;
    const status = "status" in object && isObject(object.status) ? object.status : {};
    return Array.isArray(status["conditions"]) ? status["conditions"] : [];
  }

  /** Writes what was set, where that changes anything. Returns after how many milliseconds to try again a change that can wait. */
  async write(): Promise<number | undefined> {
    const { statusWriter, resource } = this.#scope;
    const status = this.#fields;
    if (!status || !statusWriter) return undefined;
    this.#fields = undefined;
    const run = this.#run;
    const send = (request: Parameters<typeof run.writeLast<KubeObject>>[0]): Promise<KubeObject> =>
      run.notes.write("status", resource, run.key, run.writeLast(request), (object) => object);
    const read = (request: Parameters<typeof send>[0]): Promise<KubeObject> =>
      run.readObject(resource, run.key, request);
    return statusWriter.write(run.object, { status, debounce: this.#debounce, send, read });
  }
}
