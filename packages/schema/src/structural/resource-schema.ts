// What the API server and local validation use: a schema together with its CEL rules, and the order in which things happen
// to an object of that kind.
import {
  type CustomResourceSubresourceScale,
  type FieldError,
  fieldError,
  type JSONSchemaProps,
} from "@kubewright/api";
import {
  compileSchemaRules,
  createBudget,
  type RuleValidation,
  type SchemaRules,
  schemaRulesSteps,
} from "../cel/index.js";
import {
  type CompiledSchema,
  compiledSchemaSteps,
  compileSchema,
  type NormalizeResult,
  type ValueSource,
} from "./compiled-schema.js";
import { isObject, type KnownKeys } from "./json-value.js";
import { scaleSpecErrors, scaleStatusErrors } from "./scale-replicas.js";
import { noPath } from "./validation/findings.js";

/** What became of an object. */
export interface Admission extends NormalizeResult {
  readonly errors: readonly FieldError[];
}

/** How an object is validated. */
export interface ResourceValidateOptions {
  /** The object before the update; what did not change is not reported. */
  readonly old?: unknown;
  /** The write goes through `/status`: only status is judged by the schema; rules still see the whole object. */
  readonly subresource?: "status" | undefined;
  /** Is told of rules that the object breaks but did not change: they are let through, with a warning. */
  readonly onRatcheted?: ((error: FieldError) => void) | undefined;
}

/** The schema of one version of a custom kind. */
export interface ResourceSchema {
  readonly schema: JSONSchemaProps;
  /** What is wrong with the CEL rules of the schema; such a schema must not be used. */
  readonly ruleErrors: readonly FieldError[];
  /** Makes an object what the server would hold: defaulted, pruned, embedded metadata in form. Works in place. */
  normalize(object: unknown, source?: ValueSource): NormalizeResult;
  /** The same, pausing now and then: for objects that may be long. */
  normalizing(object: unknown, source?: ValueSource, known?: KnownKeys): NormalizeResult;
  /** What is wrong with an object that has been brought into form: schema, embedded objects, lists, CEL rules. */
  validate(object: unknown, options?: ResourceValidateOptions): readonly FieldError[];
  /** The same; in steps where there are rules, or more than a glance is needed to tell: that may take long. */
  validating(
    object: unknown,
    options?: ResourceValidateOptions,
  ): readonly FieldError[] | readonly FieldError[];
  /** Both: brings an object into form, in place, and says what is wrong with it. */
  admit(object: unknown, options?: ResourceValidateOptions): Admission;
}

/** What a version says beside its schema. */
export interface ResourceSchemaOptions {
  /** Where the schema stands, for errors in its rules. */
  readonly path?: string | undefined;
  /** Where the kind keeps its replicas, when it can be scaled. */
  readonly scale?: CustomResourceSubresourceScale | undefined;
}

/** Prepares a schema for use; patterns, rules and checks are compiled once. */
export function createResourceSchema(
  schema: JSONSchemaProps,
  options: ResourceSchemaOptions = {},
): ResourceSchema {
  return new Pipeline(compileSchema(schema), options);
}

/** The same, with all that is otherwise compiled when it is first needed; pauses now and then. */
export function resourceSchemaSteps(
  schema: JSONSchemaProps,
  options: ResourceSchemaOptions = {},
): ResourceSchema {
  const compiled = compiledSchemaSteps(schema);

  const rules = schemaRulesSteps(schema, { path: options.path ?? "" });
  return new Pipeline(compiled, options, rules);
}

const none: readonly FieldError[] = [];
const noOptions: ResourceValidateOptions = {};

/** Errors, or the steps to find them. */
type Found = readonly FieldError[] | readonly FieldError[];

const isKnown = (found: Found): found is readonly FieldError[] => !("next" in found);

function together(found: Found, more: readonly FieldError[]): Found {
  if (isKnown(found)) return [...found, ...more];
  return (() => [...found, ...more])();
}

class Pipeline implements ResourceSchema {
  readonly #compiled: CompiledSchema;
  readonly #options: ResourceSchemaOptions;
  #status: CompiledSchema | undefined;
  #rules: SchemaRules | undefined;

  constructor(compiled: CompiledSchema, options: ResourceSchemaOptions, rules?: SchemaRules) {
    this.#compiled = compiled;
    this.#options = options;
    this.#rules = rules;
  }

  get schema(): JSONSchemaProps {
    return this.#compiled.schema;
  }

  get ruleErrors(): readonly FieldError[] {
    return this.#compiledRules().errors;
  }

  normalize(object: unknown, source?: ValueSource): NormalizeResult {
    return this.#compiled.normalize(object, source);
  }

  normalizing(object: unknown, source?: ValueSource, known?: KnownKeys): NormalizeResult {
    return this.#compiled.normalizing(object, source, known);
  }

  validate(object: unknown, options: ResourceValidateOptions = noOptions): readonly FieldError[] {
    const found = this.validating(object, options);
    return isKnown(found) ? found : found;
  }

  validating(object: unknown, options: ResourceValidateOptions = noOptions): Found {
    return this.#withRules(this.#schemaErrors(object, options, false), object, options);
  }

  admit(object: unknown, options: ResourceValidateOptions = noOptions): Admission {
    const { unknownFields, error, valid } = this.#compiled.normalize(object);
    if (error !== undefined) return { unknownFields, error, valid, errors: none };
    const found = this.#withRules(this.#schemaErrors(object, options, valid), object, options);
    return { unknownFields, valid, errors: isKnown(found) ? found : found };
  }

  /** What is wrong apart from CEL rules; `valid` when the schema is known to be satisfied. */
  #schemaErrors(object: unknown, options: ResourceValidateOptions, valid: boolean): Found {
    const { scale } = this.#options;
    const isStatus = options.subresource === "status";
    const found = isStatus
      ? this.#statusErrors(object, options.old)
      : valid
        ? none
        : this.#compiled.validating(object, options);
    if (scale === undefined) return found;
    const ofSpec = isStatus ? none : scaleSpecErrors(object, scale);
    return together(found, [...ofSpec, ...scaleStatusErrors(object, scale)]);
  }

  #statusErrors(object: unknown, old: unknown): Found {
    const status = isObject(object) ? object["status"] : undefined;
    const declared = this.schema.properties?.["status"];
    if (status === undefined || declared === undefined) return none;
    this.#status ??= compileSchema(declared, { resource: false });
    return this.#status.validating(status, {
      old: isObject(old) ? old["status"] : undefined,
      path: "status",
    });
  }

  /** The errors of the schema together with those of its rules. */
  #withRules(found: Found, object: unknown, options: ResourceValidateOptions): Found {
    return this.#compiledRules().isEmpty ? found : this.#ruleSteps(found, object, options);
  }

  #ruleSteps(found: Found, object: unknown, options: ResourceValidateOptions): readonly FieldError[] {
    const errors = isKnown(found) ? found : found;
    if (errors.some(isBlocking)) return [...errors, unchecked];
    return [...errors, ...this.#compiledRules().validating(inputOf(object, options))];
  }

  #compiledRules(): SchemaRules {
    this.#rules ??= compileSchemaRules(this.schema, { path: this.#options.path ?? "" });
    return this.#rules;
  }
}

const inputOf = (self: unknown, { old, onRatcheted }: ResourceValidateOptions): RuleValidation => ({
  self,
  old,
  onRatcheted,
  budget: createBudget(),
});

const notChecked =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

const unchecked = fieldError.invalid(noPath, null, notChecked);

const blocking: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** Rules count on types, sizes and presence; they do not run on an object where those are wrong. */
const isBlocking = (error: FieldError): boolean => blocking.has(error.reason);
