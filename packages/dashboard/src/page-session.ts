// One page that is open: who it is, what it is subscribed to, and what it asks for. A connection has to say a good token first; nothing
// is read or done before.
import { ApiError, type Clock, isObject, type MessageSocket, type Timer } from "@kubewright/api";
import type { Client, DynamicResource } from "@kubewright/client";
import type { Admission, Gate, PageAccess } from "./access/gate.js";
import { applyEdit, applyYaml } from "./apply-yaml.js";
import { OneObject } from "./objects/one-object.js";
import { TableFeed } from "./objects/table-feed.js";
import type {
  Call,
  Failure,
  FromPage,
  FromServer,
  ObjectName,
  ResourceName,
  Topic,
  Updates,
} from "./protocol.js";

/** Subscriptions of one page at once. */
const mostSubscriptions = 50;
/** Milliseconds in which a connection has to say its token. */
const greetingTime = 10_000;
/** Milliseconds between two looks whether a token is still good. */
const recheckTime = 60_000;

export interface PageSessionOptions {
  readonly socket: MessageSocket;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly onEnd: () => void;
}

type Close = () => unknown;

export class PageSession {
  readonly #options: PageSessionOptions;
  readonly #subscriptions = new Map<number, Close>();
  #admission: Extract<Admission, { readonly access: PageAccess }> | undefined;
  #isGreeted = false;
  #rechecking: Timer | undefined;
  #isOver = false;

  constructor(options: PageSessionOptions) {
    this.#options = options;
    const { socket, clock } = options;
    const late = clock.setTimer(greetingTime, () => this.#isGreeted || this.#refuse("no token came"));
    socket.listen({
      onMessage: (message) => void this.#receive(Buffer.from(message).toString()),
      onEnd: () => {
        late.cancel();
        this.#end();
      },
    });
  }

  get isAdmitted(): boolean {
    return this.#admission !== undefined;
  }

  close(): void {
    this.#options.socket.close();
    this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const close of this.#subscriptions.values()) close();
    this.#subscriptions.clear();
    this.#rechecking?.cancel();
    this.#admission?.release();
    this.#options.onEnd();
  }

  async #receive(text: string): Promise<void> {
    const message = parse(text);
    if (!message) return this.#refuse("the message is not understood; reload the page");
    if (message.kind === "hello") return this.#admit(message.token);
    const access = this.#admission?.access;
    if (!access) return this.#refuse("a token is needed first");
    if (message.kind === "unsubscribe") return this.#unsubscribe(message.id);
    try {
      if (message.kind === "subscribe") await this.#subscribe(access, message.id, message.topic);
      else this.#send({ kind: "answer", id: message.id, value: await this.#call(access, message.call) });
    } catch (error) {
      this.#send({ kind: "failure", id: message.id, failure: failureOf(error) });
    }
  }

  async #admit(token: string): Promise<void> {
    if (this.#isGreeted) return this.#refuse("a token was said already");
    this.#isGreeted = true;
    const admission = await this.#options.gate.admit(token);
    if ("refusal" in admission) return this.#refuse(admission.refusal);
    if (this.#isOver) return admission.release();
    this.#admission = admission;
    this.#send({ kind: "welcome", about: admission.access.about });
    this.#recheckLater();
  }

  /** A token that has expired ends the page's access; an API server that does not answer does not. */
  #recheckLater(): void {
    const recheck = this.#admission?.recheck;
    if (!recheck || this.#isOver) return;
    this.#rechecking = this.#options.clock.setTimer(recheckTime, async () => {
      const refusal = await recheck().catch(() => undefined);
      if (refusal === undefined) this.#recheckLater();
      else this.#refuse(refusal);
    });
  }

  #refuse(message: string): void {
    this.#send({ kind: "refused", message, signsIn: this.#options.gate.signsIn });
    this.#options.socket.close();
  }

  #send(message: FromServer): void {
    const { socket } = this.#options;
    const bytes = Buffer.from(JSON.stringify(message));
    void (socket.sendText?.(bytes) ?? socket.send(bytes));
  }

  #unsubscribe(id: number): void {
    this.#subscriptions.get(id)?.();
    this.#subscriptions.delete(id);
  }

  async #subscribe(access: PageAccess, id: number, topic: Topic): Promise<void> {
    if (this.#subscriptions.size >= mostSubscriptions) throw new Error("too many subscriptions");
    const close = await this.#open(access, id, topic);
    if (this.#isOver) close();
    else this.#subscriptions.set(id, close);
  }

  async #open({ objects, managers, client }: PageAccess, id: number, topic: Topic): Promise<Close> {
    const update = <Name extends Topic["topic"]>(_: Name, value: Updates[Name]): void =>
      this.#send({ kind: "update", id, update: value });
    const ignore = (): void => undefined;
    const { clock } = this.#options;
    switch (topic.topic) {
      case "kinds":
        return objects.subscribe({ onKinds: (kinds) => update("kinds", { kinds }), onObjects: ignore });
      case "objects":
        return objects.subscribe({ onKinds: ignore, onObjects: (value) => update("objects", value) });
      case "managers":
        return managers.subscribe({ onManagers: (value) => update("managers", value), onReconciles: ignore });
      case "reconciles":
        return managers.subscribe({
          onManagers: ignore,
          onReconciles: (value) => update("reconciles", value),
        });
      case "table": {
        const resource = await resourceOf(client, topic.resource);
        const { namespace } = topic;
        const feed = new TableFeed({
          client,
          clock,
          resource,
          namespace,
          onUpdate: (value) => update("table", value),
        });
        feed.start();
        return () => feed.close();
      }
      case "object": {
        const { namespace, name } = topic.object;
        const resource = await resourceOf(client, topic.object);
        const feed = new OneObject({
          client,
          clock,
          resource,
          namespace,
          name,
          onUpdate: (value) => update("object", value),
          onError: (error) => this.#send({ kind: "failure", id, failure: failureOf(error) }),
        });
        feed.start();
        return () => feed.close();
      }
    }
  }

  async #call(access: PageAccess, call: Call): Promise<unknown> {
    const { client, controls, managers } = access;
    switch (call.call) {
      case "apply":
        return applyYaml(client, call.yaml, call);
      case "edit":
        return applyEdit(client, call.before, call.after, call);
      case "delete":
        return deleteObject(client, call.object);
      case "advance-time":
        return supported(controls.advanceTime)(call.milliseconds);
      case "stop-node":
        return supported(controls.stopNode)(call.node, call.stopped);
      case "inject-fault":
        return supported(controls.injectFault)(call.fault);
      case "clear-faults":
        return supported(controls.clearFaults)();
      case "take-snapshot":
        return supported(controls.takeSnapshot)(call.name);
      case "restore-snapshot":
        return supported(controls.restoreSnapshot)(call.name);
      case "snapshots":
        return supported(controls.snapshots)();
      case "pause-controller":
        await access.demandPause();
        return managers.setPaused(call.manager, call.controller, call.paused);
    }
  }
}

function supported<Arguments extends unknown[], Value>(
  control: ((...given: Arguments) => Promise<Value>) | undefined,
): (...given: Arguments) => Promise<Value> {
  if (!control) throw new Error("this cluster cannot do that");
  return control;
}

async function deleteObject(client: Client, object: ObjectName): Promise<void> {
  const resource = await resourceOf(client, object);
  await client.delete(resource, object.name, { namespace: object.namespace });
}

/** Found among what the server serves, so that nothing a page sends becomes a path of its own. */
async function resourceOf(
  client: Client,
  { group, version, plural }: ResourceName,
): Promise<DynamicResource> {
  const matches = (each: DynamicResource): boolean =>
    each.group === group && each.version === version && each.plural === plural;
  const found =
    (await client.resources()).find(matches) ?? (await client.resources({ refresh: true })).find(matches);
  if (!found) throw new Error(`the server has no ${plural} in ${group || "the core group"} ${version}`);
  return found;
}

function parse(text: string): FromPage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { kind, id, token, topic, call } = value;
    if (kind === "hello") return typeof token === "string" ? { kind, token } : undefined;
    if (typeof id !== "number") return undefined;
    if (kind === "unsubscribe") return { kind, id };
    if (kind === "subscribe" && isObject(topic)) return { kind, id, topic: topic as unknown as Topic };
    if (kind === "call" && isObject(call)) return { kind, id, call: call as unknown as Call };
    return undefined;
  } catch {
    return undefined;
  }
}

function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  return { message, reason: error instanceof ApiError ? error.reason : undefined };
}
