// What an author writes about requests: what an object becomes before it is stored, and what may not be stored at all.
import type {
  Eviction,
  FieldError,
  LabelSelector,
  MatchCondition,
  ObjectOf,
  Scale,
  UntypedObject,
} from "@kubewright/api";
import type { AnyResource } from "../controller/kinds.js";
import type { Draft } from "./draft.js";
import type { Operation, WebhookContext } from "./webhook-context.js";

type MaybePromise<T> = T | Promise<T>;

/** Subresources that are written as the object itself. */
type WholeObject = "" | "status" | "resize" | "ephemeralcontainers";

/** What the requests of a webhook carry: the object, or what a subresource takes. */
export type Reviewed<Resource, Subresource extends string> = Subresource extends WholeObject
  ? ObjectOf<Resource>
  : Subresource extends "scale"
    ? Scale
    : Subresource extends "eviction"
      ? Eviction
      : UntypedObject;

/** What a validating handler returns: nothing for a valid object, else the fields that are invalid. */
export type ValidationResult = MaybePromise<FieldError | readonly FieldError[] | undefined | void>;

/** What does not depend on the kinds involved. */
export interface WebhookSettings {
  /** Tells it from other webhooks for the same kind; a DNS label. The kind in lower case unless told. */
  readonly name?: string | undefined;
  /** What happens to requests while the webhook cannot be asked: refused unless told. */
  readonly failurePolicy?: "Fail" | "Ignore" | undefined;
  /** How long the API server waits for an answer, 1 to 30; 10 unless told. */
  readonly timeoutSeconds?: number | undefined;
  /** CEL expressions that must all be true for the webhook to be asked. */
  readonly matchConditions?: readonly MatchCondition[] | undefined;
  /** Asked only about objects in namespaces with these labels. The namespaces of the manager, if it has any, unless told. */
  readonly namespaceSelector?: LabelSelector | undefined;
  /** Asked only about objects with these labels. */
  readonly objectSelector?: LabelSelector | undefined;
  /** Whether requests in other versions of the kind are converted to this one and asked about too; they are unless told. */
  readonly matchPolicy?: "Equivalent" | "Exact" | undefined;
  /** Whether handlers change anything outside the object; nothing unless told. */
  readonly sideEffects?: "None" | "NoneOnDryRun" | undefined;
  /** Whether defaulting is asked again when a later webhook changed the object; not unless told. */
  readonly reinvocationPolicy?: "Never" | "IfNeeded" | undefined;
  /** When defaulting is asked; on create and update unless told. Validation is asked for what it has handlers for. */
  readonly defaultOn?: readonly Exclude<Operation, "DELETE">[] | undefined;
}

/** Judges one kind of request each; what has no handler is not asked about. */
export interface Validators<T, Context> {
  create?(object: T, context: Context): ValidationResult;
  update?(object: T, oldObject: T, context: Context): ValidationResult;
  /** Given the object that is to go. */
  delete?(object: T, context: Context): ValidationResult;
  connect?(object: T, context: Context): ValidationResult;
}

export interface WebhookOptions<
  Resource extends AnyResource,
  Subresource extends string,
  Use extends readonly AnyResource[],
  Watch extends readonly AnyResource[],
  Result,
> extends WebhookSettings {
  /** Asked about this subresource instead of the object itself. */
  readonly subresource?: Subresource | undefined;
  /** Kinds it reads from the server (or from a cache that a controller of the manager keeps). */
  readonly uses?: Use | undefined;
  /** Kinds it reads from a cache of its own. */
  readonly watches?: Watch | undefined;
  /**
   * Fills in what the user left out: change the draft in place, or return the object as it should be. The API server
   * judges the schema only afterwards, so what the type promises may be missing from what a careless user sent.
   */
  default?(
    draft: Draft<Reviewed<Resource, Subresource>>,
    context: ContextFor<Resource, Subresource, Use, Watch>,
  ): MaybePromise<Result | undefined | void>;
  /** Judges the object as it would be stored: one function for create and update, or one for each operation. */
  readonly validate?:
    | ((
        object: Reviewed<Resource, Subresource>,
        context: ContextFor<Resource, Subresource, Use, Watch>,
      ) => ValidationResult)
    | Validators<Reviewed<Resource, Subresource>, ContextFor<Resource, Subresource, Use, Watch>>
    | undefined;
}

type ContextFor<
  Resource,
  Subresource extends string,
  Use extends readonly unknown[],
  Watch extends readonly unknown[],
> = WebhookContext<Reviewed<Resource, Subresource>, Resource | Use[number] | Watch[number]>;

/** A context whose types nobody knows any more. */
export type AnyWebhookContext = WebhookContext<UntypedObject, AnyResource>;
type Validator = (object: UntypedObject, context: AnyWebhookContext) => ValidationResult;

/** Webhooks for a kind, ready to be given to a manager. */
export interface WebhookDefinition extends WebhookSettings {
  readonly kind: "kubewright.webhook";
  readonly name: string;
  readonly resource: AnyResource;
  readonly subresource: string | undefined;
  readonly uses: readonly AnyResource[];
  readonly watches: readonly AnyResource[];
  readonly default: ((draft: UntypedObject, context: AnyWebhookContext) => unknown) | undefined;
  /** By operation; empty when nothing is validated. */
  readonly validators: ReadonlyMap<Operation, Validator>;
}

/**
 * Declares webhooks for a kind, one's own or a built-in one. Loading it starts nothing.
 *
 * @example
 * export const modelBoxWebhook = defineWebhook(ModelBox, {
 *   default(box) {
 *     box.spec.name ??= box.metadata.name;
 *   },
 *   validate(box) {
 *     if (box.spec.image.endsWith(":latest")) return fieldError.invalid("spec.image", box.spec.image, "must name a version");
 *   },
 * });
 */
export function defineWebhook<
  const Resource extends AnyResource,
  const Subresource extends string = "",
  const Use extends readonly AnyResource[] = readonly [],
  const Watch extends readonly AnyResource[] = readonly [],
  // Inferred, so that texts in what defaulting returns keep their types.
  const Result extends Reviewed<Resource, Subresource> | Draft<Reviewed<Resource, Subresource>> = Reviewed<
    Resource,
    Subresource
  >,
>(resource: Resource, options: WebhookOptions<Resource, Subresource, Use, Watch, Result>): WebhookDefinition {
  const { validate, default: defaulter, ...settings } = options;
  // From here on nobody knows the object's type; the handler hands over only objects of its own kind.
  const erased = validate as unknown as Parameters<typeof validatorsOf>[0];
  const definition: WebhookDefinition = {
    ...settings,
    kind: "kubewright.webhook",
    name: options.name ?? resource.kind.toLowerCase(),
    resource,
    subresource: options.subresource || undefined,
    uses: options.uses ?? [],
    watches: options.watches ?? [],
    default: (defaulter as WebhookDefinition["default"])?.bind(options),
    validators: validatorsOf(erased, options),
  };
  refuseNonsense(definition);
  return definition;
}

function validatorsOf(
  validate: Validator | Validators<UntypedObject, AnyWebhookContext> | undefined,
  owner: object,
): ReadonlyMap<Operation, Validator> {
  const validators = new Map<Operation, Validator>();
  if (typeof validate === "function") {
    const bound: Validator = validate.bind(owner);
    return validators.set("CREATE", bound).set("UPDATE", bound);
  }
  if (validate?.create) validators.set("CREATE", validate.create.bind(validate));
  if (validate?.update) {
    const update = validate.update.bind(validate);
    validators.set("UPDATE", (object, context) => update(object, context.oldObject ?? object, context));
  }
  if (validate?.delete) validators.set("DELETE", validate.delete.bind(validate));
  if (validate?.connect) validators.set("CONNECT", validate.connect.bind(validate));
  return validators;
}

const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function refuseNonsense({
  name,
  resource,
  validators,
  timeoutSeconds = 10,
  ...rest
}: WebhookDefinition): void {
  const problem = (what: string): Error => new Error(`webhook ${name} for ${resource.kind}: ${what}`);
  if (!label.test(name)) throw problem("its name must be a DNS label");
  if (!rest.default && validators.size === 0) throw problem('it needs "default" or "validate"');
  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1 || timeoutSeconds > 30)
    throw problem("timeoutSeconds must be 1 to 30");
}
