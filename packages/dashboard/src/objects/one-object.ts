// Everything about one object, live: itself as YAML, its events, who set its fields, and what changed from version to version.
import { type Clock, Event, isObject, type KubeObject, type Timer } from "@kubewright/api";
import type { Client, DynamicResource } from "@kubewright/client";
import { stringifyYaml } from "@kubewright/machinery";
import { Informer } from "@kubewright/runtime";
import type { EventInfo, ObjectUpdate, VersionChange } from "../protocol.js";
import { fieldChanges } from "./field-changes.js";
import { fieldOwners, managerOf } from "./managed-fields.js";
import { summaryOf } from "./summary.js";

const pause = 50;
const remembered = 50;

export interface OneObjectOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly resource: DynamicResource;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly onUpdate: (update: ObjectUpdate) => void;
  readonly onError: (error: unknown) => void;
}

export class OneObject {
  readonly #options: OneObjectOptions;
  readonly #object: Informer<KubeObject>;
  readonly #changes: VersionChange[] = [];
  #events: Informer<Event> | undefined;
  #current: KubeObject | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: OneObjectOptions) {
    this.#options = options;
    const { client, clock, resource, namespace, name, onError } = options;
    this.#object = new Informer<KubeObject>({
      client,
      clock,
      resource,
      keepManagedFields: true,
      fieldSelector: `metadata.name=${name}`,
      ...(namespace !== undefined && { namespaces: [namespace] }),
      onError,
    });
    this.#object.onChange(({ current }) => this.#follow(current));
    this.#object.synced().then(
      () => this.#sendSoon(),
      () => undefined,
    );
  }

  start(): void {
    this.#object.start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await Promise.all([this.#object.close(), this.#events?.close()]);
  }

  #follow(next: KubeObject | undefined): void {
    const before = this.#current;
    this.#current = next;
    if (before && next && before.metadata?.uid === next.metadata?.uid) this.#note(before, next);
    if (next?.metadata?.uid !== undefined && next.metadata.uid !== before?.metadata?.uid)
      this.#followEvents(next.metadata.uid);
    this.#sendSoon();
  }

  #note(before: KubeObject, next: KubeObject): void {
    const owners = fieldOwners(next.metadata?.managedFields);
    const fields = fieldChanges(before, next).map((change) => ({
      ...change,
      manager: managerOf(owners, change.path),
    }));
    if (fields.length === 0) return;
    const resourceVersion = next.metadata?.resourceVersion ?? "";
    const seen = new Date(this.#options.clock.now()).toISOString();
    this.#changes.unshift({ resourceVersion, seen, fields });
    this.#changes.splice(remembered);
  }

  #followEvents(uid: string): void {
    const { client, clock, namespace, onError } = this.#options;
    void this.#events?.close();
    this.#events = new Informer<Event>({
      client,
      clock,
      resource: Event,
      fieldSelector: `involvedObject.uid=${uid}`,
      namespaces: [namespace ?? "default"],
      onError,
    });
    this.#events.onChange(() => this.#sendSoon());
    this.#events.start();
  }

  #sendSoon(): void {
    if (this.#isClosed) return;
    this.#timer ??= this.#options.clock.setTimer(pause, () => {
      this.#timer = undefined;
      this.#options.onUpdate(this.#update());
    });
  }

  #update(): ObjectUpdate {
    const events = (this.#events?.store.list() ?? []).map(eventInfo);
    events.sort((one, other) => (other.last ?? "").localeCompare(one.last ?? ""));
    const object = this.#current;
    const rest = { events, changes: [...this.#changes] };
    if (!object) return { ...rest, managers: [] };
    const { managedFields, ...metadata } = object.metadata ?? {};
    const { apiVersion, kind, metadata: _, ...fields } = withoutSecrets(object, this.#options.resource);
    const shown = { apiVersion, kind, metadata, ...fields };
    return {
      ...rest,
      object: shown,
      yaml: stringifyYaml(shown),
      summary: summaryOf(object, this.#options.resource),
      managers: fieldOwners(managedFields),
    };
  }
}

const hidden = "(hidden)";

/** Values of a Secret stay on the server; their names are shown. */
function withoutSecrets(object: KubeObject, { group, plural }: DynamicResource): KubeObject {
  if (group !== "" || plural !== "secrets") return object;
  const { data } = object as { readonly data?: unknown };
  const names = isObject(data) ? Object.keys(data) : [];
  return { ...object, data: Object.fromEntries(names.map((name) => [name, hidden])) } as KubeObject;
}

function eventInfo(event: Event): EventInfo {
  const { metadata, type = "", reason = "", message = "", count, series, source, reportingComponent } = event;
  const { firstTimestamp, lastTimestamp, eventTime } = event;
  return {
    uid: metadata.uid ?? "",
    type,
    reason,
    message,
    count: series?.count ?? count ?? 1,
    first: firstTimestamp ?? eventTime ?? metadata.creationTimestamp,
    last: series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp,
    source: reportingComponent || source?.component || "",
  };
}
