// Carries disturbances out: it sees every request of the manager on its way to the server.
import type { Clock, KubeObject, TransportRequest, TransportResponse } from "@kubewright/api";
import { sleep, VirtualClock } from "@kubewright/api";
import { type Client, ConnectionError, type Middleware } from "@kubewright/client";
import { type Faults, seededRandom } from "@kubewright/cluster";
import type { ManagerDefinition } from "@kubewright/runtime";
import type { ManagerUnderTest } from "../manager-under-test.js";
import { type Disturbance, type WriteDisturbance, writeDisturbances } from "./disturbance.js";
import { editObject } from "./edit-object.js";
import { isElectionWrite } from "./election-lease.js";
import { LateClock } from "./late-clock.js";
import { OlderView } from "./older-view.js";

/** The cluster and the manager that are disturbed. They are there only after the disturber is. */
export interface Disturbed {
  readonly manager: ManagerUnderTest;
  readonly faults: Faults;
  readonly clock: Clock;
  /** The administrator's. */
  readonly admin: Client;
  readonly definition: ManagerDefinition;
  /** The user agent of the manager, and its field manager. */
  readonly client: string;
  readonly fieldManager: string;
  /** The newest revision of the storage. */
  revision(): number;
}

/** A write the manager attempted. */
export interface WritePoint {
  readonly method: string;
  readonly path: string;
  /** On the cluster's clock. */
  readonly time: number;
  /** The number of the step it belongs to, from 0. */
  readonly step: number;
}

const methods = new Set(["POST", "PUT", "PATCH", "DELETE"]);
/** Nothing that matters to an object depends on these. */
const unimportant = /^\/apis\/(authorization|authentication)\.k8s\.io\/|\/events(\/[^/]*)?$/;

/** So many writes of one object in so many milliseconds are no work any more. */
const runawayWrites = 100;
const runawayTime = 10_000;

export class Disturber {
  readonly writes: WritePoint[] = [];
  /** The uids of what the manager has written. */
  readonly written = new Set<string>();
  readonly #disturbances: readonly Disturbance[];
  readonly #oneShots: ReadonlySet<string>;
  readonly #recent = new Map<string, number[]>();
  /** The revision of the storage before each write. */
  readonly #revisions: number[] = [];
  #disturbed: Disturbed | undefined;
  #olderView: OlderView | undefined;
  /** The step that runs now. */
  step = 0;
  /** The write that was repeated without end; the manager was stopped there. */
  runaway: string | undefined;

  /** `oneShots` are the kinds of children that are not deleted, besides Jobs: see TortureOptions. */
  constructor(disturbances: readonly Disturbance[], oneShots: readonly string[] = []) {
    this.#disturbances = disturbances;
    this.#oneShots = new Set(["Job", ...oneShots]);
  }

  /** The clock of the manager. */
  clockOf(clock: Clock): Clock {
    const late = this.#disturbances.find(({ kind }) => kind === "delay-timers");
    return late?.kind === "delay-timers"
      ? new LateClock(clock, late.milliseconds, seededRandom("late", "timers"))
      : clock;
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
    this.#olderView = undefined;
  }

  readonly middleware: Middleware = (next) => async (request) => {
    const disturbed = this.#disturbed;
    if (!disturbed) return next(request);
    if (!isCounted(request, disturbed))
      return this.#olderView ? this.#olderView.send(request, next) : next(request);
    const number = this.#count(request, disturbed);
    await this.#beforeWrite(number, disturbed);
    const send = async (sent: TransportRequest): Promise<TransportResponse> => this.#note(await next(sent));
    const kind = this.#kindAt(number);
    const response = await (kind ? this.#disturb(kind, number, disturbed, request, send) : send(request));
    this.#afterWrite(number, disturbed, request);
    return response;
  };

  /** The number of the write; throws when it is one too many. */
  #count(request: TransportRequest, disturbed: Disturbed): number {
    const { method, path } = request;
    this.#revisions.push(disturbed.revision());
    const number = this.writes.push({ method, path, time: disturbed.clock.now(), step: this.step });
    if (!this.#isRunaway(disturbed, path)) return number;
    this.runaway = `${method} ${path}`;
    disturbed.manager.crash();
    throw lost(request, "the manager was stopped");
  }

  async #beforeWrite(number: number, { clock, faults, client }: Disturbed): Promise<void> {
    for (const each of this.#disturbances) {
      if (each.kind === "delay-write" && each.write === number) await late(clock, each.milliseconds);
      if (each.kind === "freeze" && each.write === number)
        faults.holdWatches({ client, resource: each.resource }, each.milliseconds);
    }
  }

  /** Begins an older view, for which the manager crashes. */
  #afterWrite(number: number, disturbed: Disturbed, request: TransportRequest): void {
    const { manager, faults, client, clock } = disturbed;
    for (const each of this.#disturbances) {
      if (each.kind !== "older-view" || each.write !== number) continue;
      this.#olderView = new OlderView(this.#revisions[each.view - 1] ?? 1);
      clock.setTimer(each.milliseconds, () => {
        this.#olderView = undefined;
      });
      faults.holdWatches({ client }, each.milliseconds);
      manager.crashAndRestart({ waits: true });
      throw lost(request, "the manager crashed");
    }
  }

  #note(response: TransportResponse): TransportResponse {
    const uid = writtenObject(response)?.metadata?.uid;
    if (uid !== undefined) this.written.add(uid);
    return response;
  }

  #kindAt(number: number): WriteDisturbance | undefined {
    for (const each of this.#disturbances) if (isAtWrite(each) && each.write === number) return each.kind;
    return undefined;
  }

  async #disturb(
    kind: WriteDisturbance,
    number: number,
    { manager, admin, fieldManager }: Disturbed,
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
      case "delete-written":
      case "edit-written": {
        const response = await next(request);
        const child = request.method === "DELETE" ? undefined : writtenChild(response);
        if (child && kind === "delete-written" && !this.#oneShots.has(child.kind ?? ""))
          await deleteObject(admin, child);
        if (child && kind === "edit-written") await editObject(admin, child, fieldManager, number);
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

const isCounted = (request: TransportRequest, { definition }: Disturbed): boolean =>
  methods.has(request.method) && !unimportant.test(request.path) && !isElectionWrite(definition, request);

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

async function deleteObject(
  admin: Client,
  { apiVersion = "", kind = "", metadata }: KubeObject,
): Promise<void> {
  const resource = await admin.resource({ apiVersion, kind });
  await admin.delete(resource, metadata?.name ?? "", { namespace: metadata?.namespace });
}

/** Children only: a change of the object itself is a request that everything follows. */
function writtenChild(response: TransportResponse): KubeObject | undefined {
  const value = writtenObject(response);
  const isChild = value?.metadata?.ownerReferences?.some(({ controller }) => controller);
  return isChild && value?.metadata?.name ? value : undefined;
}

function writtenObject({ status, body }: TransportResponse): KubeObject | undefined {
  return status < 300 && body.kind === "object" ? (body.value as KubeObject) : undefined;
}

const isAtWrite = (
  disturbance: Disturbance,
): disturbance is Extract<Disturbance, { readonly kind: WriteDisturbance }> =>
  writeDisturbances.some((kind) => kind === disturbance.kind);
