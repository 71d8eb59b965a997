// One reconcile under way: its life, what it may touch, and what it leaves to be done at its end.
import type { KubeObject } from "@kubewright/api";
import type { WorkItem } from "../queue/work-queue.js";
import { type ChildScope, ChildSet } from "./child-set.js";
import type { EventRecorder } from "./events/event-recorder.js";
import { ObjectReader, type ReadScope } from "./object-reader.js";
import type { EventInput } from "./reconcile-context.js";
import { Run, type RunEnvironment } from "./run.js";
import { StatusDraft, type StatusScope } from "./status/status-draft.js";

/** The dependencies that all reconciles of a controller share. */
export interface RunScope extends RunEnvironment, ChildScope, ReadScope, StatusScope {
  readonly events: EventRecorder;
}

export class ReconcileRun {
  readonly run: Run;
  readonly children: ChildSet;
  readonly reader: ObjectReader;
  readonly status: StatusDraft;
  readonly #scope: RunScope;
  #dueAt: number | undefined;

  constructor(scope: RunScope, object: KubeObject, item: WorkItem) {
    this.#scope = scope;
    this.run = new Run(scope, object, item);
    this.children = new ChildSet(scope, this.run, (event) => this.record(event));
    this.reader = new ObjectReader(scope, this.run);
    this.status = new StatusDraft(scope, this.run);
  }

  now(): number {
    return this.#scope.clock.now();
  }

  requeueAt(time: number | undefined): void {
    this.#dueAt = time;
  }

  /** Milliseconds until the due time that was stated; undefined when there is none, or it has passed. */
  get dueIn(): number | undefined {
    const left = this.#dueAt === undefined ? 0 : this.#dueAt - this.now();
    return left > 0 ? left : undefined;
  }

  event(event: EventInput): void {
    if (!this.run.isOver) this.record(event);
  }

  /** Records an event of the runtime itself, also about a run that was ended. */
  record(event: EventInput): void {
    this.run.notes.event(event);
    this.#scope.events.record(this.#scope.resource, this.run.object, event);
  }
}
