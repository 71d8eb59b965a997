// The strategy of a kind: where it differs from the generic registry.
import type { FieldError } from "@kubewright/api";
import type { DraftObject, StoredObject } from "./objects.js";
import type { StrategyContext } from "./strategy-context.js";

/** The most characters that the `Warning` headers of a response hold, and more warnings than ever fit. */
export const maxWarnings = 4096;

/** The allocations of a write, to commit when it succeeds or to release when it fails. */
export interface Transaction {
  /** The object is stored. */
  commit(): void;
  /** The write failed, or was only a dry run. */
  revert(): void;
}

export interface MetadataValidation {
  /**
   * The `ValidateObjectMeta` that the kind calls: that of the core API knows the standard finalizers, that of apimachinery does not. With
   * `none` only the generic rules hold: any name that a path can hold will do, and a create is checked when nothing else is wrong. Default: core.
   */
  readonly validator?: "core" | "apimachinery" | "none" | undefined;
  /** Set for kinds that check a name but not the prefix it was generated from. */
  readonly uncheckedPrefix?: boolean | undefined;
  /** The checks an update makes: `ValidateObjectMetaUpdate`, and `ValidateObjectMeta` once or twice. Default: the former. */
  readonly onUpdate?: readonly ("update" | "object")[] | undefined;
}

/** The rules of one kind: defaults, preparation, validation, warnings. */
export interface Strategy {
  /** Fills in what the user left out. Runs on every decoded object, and on stored ones as they are read. */
  applyDefaults?(object: DraftObject): void;
  /** Clears what a client may not set and sets what the server decides. */
  prepareForCreate?(object: DraftObject, context: StrategyContext): void;
  prepareForUpdate?(object: DraftObject, old: StoredObject, context: StrategyContext): void;
  /** Completes an object when all checks are done, before it is stored. */
  beforeStore?(object: DraftObject): void;
  /** Fills in what kube-apiserver stores objects without, and sets by default whenever it reads them; true where that was anything. */
  completeAsRead?(object: DraftObject): boolean;
  validateCreate?(object: DraftObject, context: StrategyContext): FieldError[];
  validateUpdate?(object: DraftObject, old: StoredObject, context: StrategyContext): FieldError[];
  /** Texts for `Warning` headers. */
  warnings?(object: DraftObject, old: StoredObject | undefined): string[];
  /** Problems with a name, in Kubernetes' words; `prefix` when it will be completed by generateName. */
  validateName?(name: string, prefix: boolean): string[];
  /** How kube-apiserver's validation of the kind checks metadata; every check reports its errors once more. */
  readonly metadata?: MetadataValidation | undefined;
  /** Fields that field selectors may name, besides metadata.name and metadata.namespace. */
  readonly selectableFields?: readonly string[] | undefined;
  selectableField?(object: StoredObject, field: string): string;
  /** How kube-apiserver says that the kind cannot be selected by a field, where it says that in its own way. */
  unknownFieldText?(field: string): string;
  /** PUT and apply of an object that is not there create it. */
  readonly allowCreateOnUpdate?: boolean | undefined;
  /** PUT without a resourceVersion is taken; true by default. */
  readonly allowUnconditionalUpdate?: boolean | undefined;
  /** Seconds between a delete request and the end; undefined for kinds that go at once. */
  gracePeriod?(object: StoredObject, requested: number | undefined): number | undefined;
  /** Whether the generation counts: kinds with a spec. */
  readonly hasGeneration?: boolean | undefined;
  /** Top-level fields this endpoint never changes, and does not track in managed fields (`status`). */
  readonly resetFields?: readonly string[] | undefined;
  /** Runs before the rules above (`old` is undefined on create) and may take what is scarce: addresses, ports. */
  begin?(
    object: DraftObject,
    old: StoredObject | undefined,
    context: StrategyContext,
  ): Transaction | undefined;
  /** After an object has gone for good. */
  afterDelete?(object: StoredObject, context: StrategyContext): void;
  /** Finalizers a delete request adds: work the server itself does before the object may go. */
  readonly deletionFinalizers?: readonly string[] | undefined;
  /** Whether the object must stay for other reasons than metadata.finalizers: those a namespace has in its spec. */
  isHeld?(object: DraftObject | StoredObject): boolean;
  /** Changes the object on a delete request besides the usual metadata, replacing fields as a whole; `now` in milliseconds. */
  markDeleted?(object: DraftObject, old: StoredObject, now: number): void;
  /** DELETE answers with the object instead of a Status. */
  readonly returnsDeleted?: boolean | undefined;
  /** The default deletion behaviour; `Background` by default. Where unsupported, no other can be asked for. */
  readonly defaultPropagation?: "Background" | "Orphan" | "Unsupported" | undefined;
  /** The warning for delete requests that leave propagation to that default. */
  readonly defaultPropagationWarning?: string | undefined;
}
