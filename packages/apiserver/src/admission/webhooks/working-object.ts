// The object while mutating webhooks run: each sees it in the version its rule matched, with the changes of those before it.

import { cloneJson, setOwn } from "@kubewright/api";
import type { DraftObject, StoredObject } from "@kubewright/kinds";
import { managedFieldsProblem } from "@kubewright/machinery";

import type { AdmissionRequest } from "../../registry/admission-control.js";
import { matchNamespace } from "../../registry/system-metadata.js";
import type { AdmissionTarget } from "../matching/admission-target.js";
import type { MatchSubject } from "../matching/match-request.js";
import { inVersion } from "../matching/versioned-objects.js";

export class WorkingObject {
  readonly #subject: MatchSubject;
  #as: AdmissionTarget;
  #object: DraftObject | undefined;
  #oldObject: StoredObject | undefined;
  #isPatched = false;

  constructor(subject: MatchSubject) {
    this.#subject = subject;
    this.#as = subject.target;
    this.#object = subject.request.object;
    this.#oldObject = subject.request.oldObject;
  }

  get object(): DraftObject | undefined {
    return this.#object;
  }

  get oldObject(): StoredObject | undefined {
    return this.#oldObject;
  }

  /** The request as it stands now. */
  get request(): AdmissionRequest {
    return { ...this.#subject.request, object: this.#object };
  }

  /** Converts the objects to that version; from the original ones as long as nothing has changed, so that no conversion loses data. */
  async showAs(target: AdmissionTarget): Promise<void> {
    if (this.#as.served === target.served) return;
    const { request, target: original } = this.#subject;
    const { context, object, oldObject } = request;
    const shown = this.#isPatched
      ? await inVersion(context, this.#object, this.#as, target)
      : await inVersion(context, object, original, target);
    this.#object = shown && shown !== object ? (cloneJson(shown) as DraftObject) : object;
    this.#oldObject = await inVersion(context, oldObject, original, target);
    this.#as = target;
  }

  replace(object: DraftObject): void {
    this.#object = object;
    this.#isPatched = true;
  }

  /** Writes the result into the object of the request. */
  async finish(): Promise<void> {
    const { request, target } = this.#subject;
    const draft = request.object;
    if (!draft || !this.#isPatched) return;
    await this.showAs(target);
    const next = this.#object;
    if (!next) return;
    keepManagedFields(draft, next, request);
    if (request.subresource === undefined) matchNamespace(next, request.kind, request.namespace);
    replaceContents(draft, next);
  }
}

/** Replaces the fields in place: others hold the same draft. */
function replaceContents(draft: DraftObject, next: DraftObject): void {
  for (const field of Object.keys(draft)) delete draft[field];
  for (const [field, value] of Object.entries(next)) setOwn(draft, field, value);
}

/** Webhooks manage no fields; managedFields that they leave undecodable are taken from before. */
function keepManagedFields(draft: DraftObject, next: DraftObject, { context }: AdmissionRequest): void {
  const problem = managedFieldsProblem(next.metadata.managedFields);
  if (problem === undefined) return;
  if (draft.metadata.managedFields) next.metadata.managedFields = draft.metadata.managedFields;
  else delete next.metadata.managedFields;
  context.warnings.push(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${problem}`,
  );
}
