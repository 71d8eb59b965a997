// Carries disturbances out: it sees every request of the manager on its way to the server.
import type { Clock, TransportRequest, TransportResponse } from "@kubewright/api";
import { sleep, VirtualClock } from "@kubewright/api";
import { type Client, ConnectionError, type Middleware } from "@kubewright/client";
import type { Faults } from "@kubewright/cluster";
import type { ManagerUnderTest } from "../manager-under-test.js";
import type { Disturbance, WriteDisturbance } from "./disturbance.js";

/** The cluster and the manager that are disturbed. They are there only after the disturber is. */
export interface Disturbed {
  readonly manager: ManagerUnderTest;
  readonly faults: Faults;
  readonly clock: Clock;
  /** The administrator's. */
  readonly admin: Client;
  /** The user agent of the manager. */
  readonly client: string;
}

/** A write the manager attempted. */
export interface WritePoint {
  readonly method: string;
  readonly path: string;
  /** On the cluster's clock. */
  readonly time: number;
}

const methods = new Set(["POST", "PUT", "PATCH", "DELETE"]);
/** Nothing that matters to an object depends on these. */
const unimportant =
  /^\/apis\/(authorization|authentication)\.k8s\.io\/|\/events(\/[^/]*)?$|^\/apis\/coordination\.k8s\.io\//;

/** So many writes of one object in so many milliseconds are no work any more. */
const runawayWrites = 100;
const runawayTime = 10_000;

export class Disturber {
  readonly writes: WritePoint[] = [];
  /** The uids of what the manager has written. */
  readonly written = new Set<string>();
  readonly #disturbances: readonly Disturbance[];
  readonly #recent = new Map<string, number[]>();
  #disturbed: Disturbed | undefined;
  /** The write that was repeated without end; the manager was stopped there. */
  runaway: string | undefined;

  constructor(disturbances: readonly Disturbance[]) {
    this.#disturbances = disturbances;
  }

  /** From now on writes count. */
  begin(disturbed: Disturbed): void {
    this.#disturbed = disturbed;
    const { client, faults } = disturbed;
    for (const each of this.#disturbances)
      if (each.kind === "delay-watch")
        faults.delayWatches({ client, resource: each.resource }, each.milliseconds);
  }

  /** Ends what lasts, so that everything can come to rest. */
  end(): void {
    this.#disturbed?.faults.clear();
  }

  readonly middleware: Middleware = (next) => async (request) => {
    const disturbed = this.#disturbed;
    if (!disturbed || !methods.has(request.method) || unimportant.test(request.path)) return next(request);
    const { method, path } = request;
    const number = this.writes.push({ method, path, time: disturbed.clock.now() });
    if (this.#isRunaway(disturbed, path)) {
      this.runaway = `${method} ${path}`;
      disturbed.manager.crash();
      throw lost(request, "the manager was stopped");
    }
    for (const each of this.#disturbances) {
      if (!("write" in each) || each.write !== number) continue;
      if (each.kind === "delay-write") await late(disturbed.clock, each.milliseconds);
      if (each.kind === "freeze")
        disturbed.faults.holdWatches(
          { client: disturbed.client, resource: each.resource },
          each.milliseconds,
        );
    }
    const send = async (sent: TransportRequest): Promise<TransportResponse> => this.#note(await next(sent));
    const kind = this.#kindAt(number);
    return kind ? this.#disturb(kind, disturbed, request, send) : send(request);
  };

  #note(response: TransportResponse): TransportResponse {
    const uid = writtenObject(response)?.metadata?.uid;
    if (uid !== undefined) this.written.add(uid);
    return response;
  }

  #kindAt(number: number): WriteDisturbance | undefined {
    for (const each of this.#disturbances)
      if ("write" in each && each.write === number && each.kind !== "freeze" && each.kind !== "delay-write")
        return each.kind;
    return undefined;
  }

  async #disturb(
    kind: WriteDisturbance,
    { manager, admin }: Disturbed,
    request: TransportRequest,
    next: (request: TransportRequest) => Promise<TransportResponse>,
  ): Promise<TransportResponse> {
    switch (kind) {
      case "crash-before":
        manager.crashAndRestart({ waits: this.#disturbances.length > 1 });
        throw lost(request, "the manager crashed");
      case "crash-after":
        await next(request);
        manager.crashAndRestart({ waits: this.#disturbances.length > 1 });
        throw lost(request, "the manager crashed");
      case "lose-answer":
        await next(request);
        throw lost(request, "the answer was lost");
      case "fail":
        return failure(500, "InternalError", "an internal error, on purpose");
      case "conflict":
        // A name that is taken is no conflict of versions.
        if (request.method === "POST") return next(request);
        return failure(409, "Conflict", "the object has been modified, on purpose");
      case "delete-written": {
        const response = await next(request);
        if (response.status < 300 && request.method !== "DELETE") await deleteWritten(admin, response);
        return response;
      }
    }
  }

  #isRunaway({ clock }: Disturbed, path: string): boolean {
    const now = clock.now();
    const times = (this.#recent.get(path) ?? []).filter((time) => now - time < runawayTime);
    times.push(now);
    this.#recent.set(path, times);
    return times.length > runawayWrites;
  }
}

/** The reconcile waits, and virtual time goes on. */
async function late(clock: Clock, milliseconds: number): Promise<void> {
  const resume = clock instanceof VirtualClock ? clock.suspend() : () => undefined;
  await sleep(clock, milliseconds).finally(resume);
}

const lost = ({ method, path }: TransportRequest, why: string): ConnectionError =>
  new ConnectionError(`${method} ${path}: ${why}, on purpose`, "closed");

function failure(code: number, reason: string, message: string): TransportResponse {
  const value = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code, reason, message };
  return { status: code, headers: {}, body: { kind: "object", value } };
}

/** Children only: whoever deletes the object itself wants everything gone. */
async function deleteWritten(admin: Client, response: TransportResponse): Promise<void> {
  const value = writtenObject(response);
  if (!value?.metadata?.name || !value.metadata.ownerReferences?.some(({ controller }) => controller)) return;
  const resource = await admin.resource({ apiVersion: value.apiVersion ?? "", kind: value.kind ?? "" });
  const { name, namespace } = value.metadata;
  await admin.delete(resource, name, { namespace });
}

function writtenObject({ status, body }: TransportResponse): WrittenObject | undefined {
  return status < 300 && body.kind === "object" ? (body.value as WrittenObject) : undefined;
}

interface WrittenObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly uid?: string;
    readonly namespace?: string;
    readonly ownerReferences?: readonly { readonly controller?: boolean }[];
  };
}
