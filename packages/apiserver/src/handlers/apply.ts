// Server-side apply: sets the fields that an applier declares, and reports conflicts with other field managers.

import { apiVersionOf, cloneJson, formatTime, isAlreadyExists } from "@kubewright/api";
import { badRequest, conflict, type DraftObject, notFound, type StoredObject } from "@kubewright/kinds";
import {
  applyConfiguration,
  type DecodedPatch,
  decodeObjectPatch,
  type MutableObject,
  warningLines,
} from "@kubewright/machinery";

import { createObject } from "../registry/create-object.js";
import { withManagerVersions } from "../registry/manager-versions.js";
import { requestedKey } from "../registry/object-key.js";
import type { RequestContext } from "../registry/request-context.js";
import { type ResourceKind, subjectOf, type View } from "../registry/resource-kind.js";
import { matchName, matchNamespace } from "../registry/system-metadata.js";
import { type UpdateResult, type UpdateTarget, updateObject } from "../registry/update-object.js";
import type { WriteOptions } from "../registry/write-options.js";
import { decodePatched } from "./decode-patched.js";
import { throughView } from "./write.js";

/** Merges the configuration in the body into the object, or creates it. */
export async function applyPatch(
  context: RequestContext,
  target: UpdateTarget,
  view: View | undefined,
  options: WriteOptions,
): Promise<UpdateResult> {
  const { kind, name, namespace } = target;
  const configuration = new Configuration(context, target, view?.kind ?? kind, options);
  const exists = context.services.storage.get(kind.storage, requestedKey(kind, namespace, name));
  if (!exists && !target.subresource) {
    const object = await createApplied(context, target, configuration, options);
    if (object) return { object, created: true };
  }
  return updateObject(context, target, options, async (current) => {
    if (!current) throw notFound(subjectOf(kind, name));
    const live = view ? view.toView(current, "write") : current;
    const merged = await configuration.mergeInto(live);
    if (merged !== live) view?.refuseApply?.(configuration.content);
    const next: DraftObject =
      merged === live
        ? (cloneJson(live) as DraftObject)
        : decodePatched(context, view?.kind ?? kind, merged, options, { isApplied: true });
    return throughView(view, next, live, current);
  });
}

/** The new object; undefined when someone else was faster, so that there is one to merge into now. */
async function createApplied(
  context: RequestContext,
  { kind, name, namespace }: UpdateTarget,
  configuration: Configuration,
  options: WriteOptions,
): Promise<StoredObject | undefined> {
  const merged = await configuration.mergeInto(undefined);
  const draft = decodePatched(context, kind, merged, options, { isApplied: true });
  if (draft.metadata.uid) throw conflict(subjectOf(kind, name), noSuchUid(draft.metadata.uid));
  matchNamespace(draft, kind, namespace);
  matchName(draft, name);
  try {
    return await createObject(context, kind, draft, namespace, { ...options, owned: true, byUpdate: true });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return undefined;
  }
}

const noSuchUid = (uid: string): string =>
  `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;

/** The apply configuration of the client, decoded when it is first needed. */
class Configuration {
  readonly #context: RequestContext;
  readonly #target: UpdateTarget;
  readonly #shape: ResourceKind;
  readonly #options: WriteOptions;
  #decoded: DecodedPatch<MutableObject> | undefined;

  constructor(context: RequestContext, target: UpdateTarget, shape: ResourceKind, options: WriteOptions) {
    this.#context = context;
    this.#target = target;
    this.#shape = shape;
    this.#options = options;
  }

  get content(): MutableObject {
    if (!this.#decoded) {
      this.#decoded = decodeObjectPatch(this.#context.request.body, "apply");
      this.#context.record?.wasSent(this.#decoded.patch);
    }
    return this.#decoded.patch;
  }

  /** The object with the fields declared; the very same where they say nothing new. */
  async mergeInto(live: StoredObject | undefined) {
    const { fieldManager, force } = this.#options;
    const applied = this.content;
    const { object } = await withManagerVersions(this.#context, this.#shape, (convert) =>
      applyConfiguration({
        live,
        applied,
        typeInfo: this.#shape.typeInfo,
        manager: fieldManager,
        force,
        apiVersion: apiVersionOf(this.#shape),
        kind: this.#shape.kind,
        time: formatTime(this.#context.services.clock.now()),
        subresource: this.#target.subresource,
        resetFields: this.#target.strategy.resetFields,
        convert,
      }),
    );
    this.#checkDuplicates();
    return object;
  }

  /** Keys that stand twice are looked for last. */
  #checkDuplicates(): void {
    const { fieldValidation } = this.#options;
    for (const { message } of this.#decoded?.duplicates ?? []) {
      const text = `error converting YAML to JSON: ${message}`;
      if (fieldValidation === "Strict") throw badRequest(`error strict decoding YAML: ${text}`);
      if (fieldValidation === "Warn") this.#context.warnings.push(...warningLines(text));
    }
  }
}
