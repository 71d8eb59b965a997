// The condition `Dangling` of FlowSchemas: whether the priority level that each refers to is there.
import { type Clock, type FlowSchema, formatTime } from "@kubewright/api";
import { storedAs } from "@kubewright/kinds";
import { KeyWorker } from "../crds/key-worker.js";
import type { InternalCaller } from "../request/internal-caller.js";
import type { Storage } from "../storage/index.js";
import { flowSchemaTable, priorityLevelTable } from "./default-configuration.js";

const fieldManager = "api-priority-and-fairness-config-consumer-v1";
const path = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";

/** Keeps the conditions while the server runs. */
export class DanglingConditions {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #call: InternalCaller;
  readonly #worker: KeyWorker;
  readonly #unsubscribe: readonly (() => void)[];

  constructor({ storage, clock }: { storage: Storage; clock: Clock }, call: InternalCaller) {
    this.#storage = storage;
    this.#clock = clock;
    this.#call = call;
    this.#worker = new KeyWorker({ clock, name: "FlowSchemas", work: (name) => this.#report(name) });
    this.#unsubscribe = [
      storage.subscribe(flowSchemaTable, storage.revision, ({ type, object }) => {
        if (type === "put") this.#look(storedAs<FlowSchema>(object));
      }),
      storage.subscribe(priorityLevelTable, storage.revision, () => this.#lookAtAll()),
    ];
    this.#lookAtAll();
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#worker.close();
  }

  #lookAtAll(): void {
    for (const schema of this.#storage.list(flowSchemaTable, { prefix: "" }))
      this.#look(storedAs<FlowSchema>(schema));
  }

  #look(schema: FlowSchema): void {
    if (this.#wanted(schema)) this.#worker.add(schema.metadata?.name ?? "");
  }

  async #report(name: string): Promise<void> {
    const stored = this.#storage.get(flowSchemaTable, name);
    const condition = stored && this.#wanted(storedAs<FlowSchema>(stored));
    if (!condition) return;
    await this.#call("PATCH", `${path}/${name}/status?fieldManager=${fieldManager}&force=true`, {
      apiVersion: "flowcontrol.apiserver.k8s.io/v1",
      kind: "FlowSchema",
      metadata: { name },
      status: { conditions: [condition] },
    });
  }

  /** The condition that the schema should have; undefined when it has it. */
  #wanted({ spec, status }: FlowSchema) {
    const level = spec?.priorityLevelConfiguration?.name ?? "";
    const isThere = this.#storage.get(priorityLevelTable, level) !== undefined;
    const wanted = {
      type: "Dangling",
      status: isThere ? "False" : "True",
      lastTransitionTime: formatTime(this.#clock.now()),
      reason: isThere ? "Found" : "NotFound",
      message: `This FlowSchema references the PriorityLevelConfiguration object named "${level}" ${isThere ? "and it exists" : "but there is no such object"}`,
    };
    const found = status?.conditions?.find(({ type }) => type === wanted.type);
    const isSame =
      found?.status === wanted.status && found.reason === wanted.reason && found.message === wanted.message;
    return isSame ? undefined : wanted;
  }
}
