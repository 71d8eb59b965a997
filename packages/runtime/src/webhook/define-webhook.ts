// The definition of a webhook: defaults and validation of requests before objects are stored.
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

/** The object in the requests of a webhook: of its kind, or of its subresource. */
export type Reviewed<Resource, Subresource extends string> = Subresource extends WholeObject
  ? ObjectOf<Resource>
  : Subresource extends "scale"
    ? Scale
    : Subresource extends "eviction"
      ? Eviction
      : UntypedObject;

/** The result of a validating handler: nothing for a valid object, else the fields that are invalid. */
export type ValidationResult = MaybePromise<FieldError | readonly FieldError[] | undefined | void>;

/** The options that do not depend on the kinds involved. */
export interface WebhookSettings {
  /** Distinguishes it from other webhooks for the same kind; a DNS label. Default: the kind in lower case. */
  readonly name?: string | undefined;
  /** The failure policy: what happens to requests while the webhook cannot be called. Default: `Fail`, they are refused. */
  readonly failurePolicy?: "Fail" | "Ignore" | undefined;
  /** The timeout of the API server, 1 to 30. Default: 10. */
  readonly timeoutSeconds?: number | undefined;
  /** CEL expressions that must all be true for the webhook to be called. */
  readonly matchConditions?: readonly MatchCondition[] | undefined;
  /** Called only for objects in namespaces with these labels. Default: the namespaces of the manager, if it has any. */
  readonly namespaceSelector?: LabelSelector | undefined;
  /** Called only for objects with these labels. */
  readonly objectSelector?: LabelSelector | undefined;
  /** The match policy: `Equivalent` converts requests in other versions of the kind to this one. Default: `Equivalent`. */
  readonly matchPolicy?: "Equivalent" | "Exact" | undefined;
  /** The changes that handlers make outside the object; `NoneOnDryRun` for all but dry runs. Default: `None`. */
  readonly sideEffects?: "None" | "NoneOnDryRun" | undefined;
  /** `IfNeeded` calls defaulting again after a later webhook has changed the object. Default: `Never`. */
  readonly reinvocationPolicy?: "Never" | "IfNeeded" | undefined;
  /** The operations of defaulting. Default: create and update. Those of validation are the ones it has handlers for. */
  readonly defaultOn?: readonly Exclude<Operation, "DELETE">[] | undefined;
}

/** One handler for each operation; the webhook is not called for operations without one. */
export interface Validators<T, Context> {
  create?(object: T, context: Context): ValidationResult;
  update?(object: T, oldObject: T, context: Context): ValidationResult;
  /** Called with the object that is to be deleted. */
  delete?(object: T, context: Context): ValidationResult;
  connect?(object: T, context: Context): ValidationResult;
}

/** What a webhook defaults or validates, for which requests, and what happens when it cannot be reached. */
export interface WebhookOptions<
  Resource extends AnyResource,
  Subresource extends string,
  Use extends readonly AnyResource[],
  Watch extends readonly AnyResource[],
  Result,
> extends WebhookSettings {
  /** Called for this subresource instead of the object itself. */
  readonly subresource?: Subresource | undefined;
  /** Kinds it reads from the server (or from a cache that a controller of the manager keeps). */
  readonly uses?: Use | undefined;
  /** Kinds it reads from a cache of its own. */
  readonly watches?: Watch | undefined;
  /**
   * Fills in what the user left out: change the draft in place, or return the object as it should be. The API server
   * validates the schema only afterwards, so fields that the type promises may be missing from the object.
   */
  default?(
    draft: Draft<Reviewed<Resource, Subresource>>,
    context: ContextFor<Resource, Subresource, Use, Watch>,
  ): MaybePromise<Result | undefined | void>;
  /** Validates the object as it would be stored: one function for create and update, or one for each operation. */
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

/** A context with erased types. */
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
  // Inferred, so that string literals in what defaulting returns keep their types.
  const Result extends Reviewed<Resource, Subresource> | Draft<Reviewed<Resource, Subresource>> = Reviewed<
    Resource,
    Subresource
  >,
>(resource: Resource, options: WebhookOptions<Resource, Subresource, Use, Watch, Result>): WebhookDefinition {
  const { validate, default: defaulter, ...settings } = options;
  // From here on the object's type is erased; the handler is called only with objects of its own kind.
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
