// The schema of one version of a custom kind together with its CEL rules, for the API server and for local validation.
import {
  type CustomResourceSubresourceScale,
  type FieldError,
  fieldError,
  type JSONSchemaProps,
} from "@kubewright/api";
import { compileSchemaRules, createBudget, type RuleValidation, type SchemaRules } from "@kubewright/cel";
import {
  type CompiledSchema,
  compileSchema,
  type NormalizeResult,
  type ValueSource,
} from "./compiled-schema.js";
import { isObject } from "./json-value.js";
import { scaleSpecErrors, scaleStatusErrors } from "./scale-replicas.js";
import { noPath } from "./validation/validation-result.js";

/** The result of `admit`. */
export interface Admission extends NormalizeResult {
  readonly errors: readonly FieldError[];
}

/** Options of `validate`. */
export interface ResourceValidateOptions {
  /** The object before the update; what did not change is not reported. */
  readonly old?: unknown;
  /** The write goes through `/status`: only status is validated by the schema; rules still see the whole object. */
  readonly subresource?: "status" | undefined;
  /** Called for each error in values that the update leaves unchanged (ratcheting); such errors become warnings. */
  readonly onRatcheted?: ((error: FieldError) => void) | undefined;
}

/** The schema of one version of a custom kind. */
export interface ResourceSchema {
  readonly schema: JSONSchemaProps;
  /** Errors of the CEL rules themselves; a schema with such errors must not be used. */
  readonly ruleErrors: readonly FieldError[];
  /** Defaults and prunes an object and coerces embedded metadata, in place. */
  normalize(object: unknown, source?: ValueSource): NormalizeResult;
  /** Validates a normalized object: schema, embedded objects, lists, CEL rules. */
  validate(object: unknown, options?: ResourceValidateOptions): readonly FieldError[];
  /** Normalizes an object, in place, and validates it. */
  admit(object: unknown, options?: ResourceValidateOptions): Admission;
}

/** Options of createResourceSchema. */
export interface ResourceSchemaOptions {
  /** The field path of the schema, for errors in its rules. */
  readonly path?: string | undefined;
  /** The scale subresource of the version. */
  readonly scale?: CustomResourceSubresourceScale | undefined;
}

/** Prepares a schema for use; patterns, rules and checks are compiled once. */
export function createResourceSchema(
  schema: JSONSchemaProps,
  options: ResourceSchemaOptions = {},
): ResourceSchema {
  return new Pipeline(compileSchema(schema), options);
}

type Errors = readonly FieldError[];

const none: Errors = [];
const noOptions: ResourceValidateOptions = {};

class Pipeline implements ResourceSchema {
  readonly #compiled: CompiledSchema;
  readonly #options: ResourceSchemaOptions;
  #status: CompiledSchema | undefined;
  #rules: SchemaRules | undefined;

  constructor(compiled: CompiledSchema, options: ResourceSchemaOptions) {
    this.#compiled = compiled;
    this.#options = options;
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

  validate(object: unknown, options: ResourceValidateOptions = noOptions): readonly FieldError[] {
    return this.#withRules(this.#schemaErrors(object, options, false), object, options);
  }

  admit(object: unknown, options: ResourceValidateOptions = noOptions): Admission {
    const { unknownFields, error, valid } = this.#compiled.normalize(object);
    if (error !== undefined) return { unknownFields, error, valid, errors: none };
    const errors = this.#withRules(this.#schemaErrors(object, options, valid), object, options);
    return { unknownFields, valid, errors };
  }

  /** The errors apart from CEL rules; `valid` when the schema is known to be satisfied. */
  #schemaErrors(object: unknown, options: ResourceValidateOptions, valid: boolean): Errors {
    const { scale } = this.#options;
    if (options.subresource === "status")
      return [...this.#statusErrors(object, options.old), ...scaleStatusErrors(object, scale)];
    const errors = valid ? none : this.#compiled.validate(object, options);
    return [...errors, ...scaleSpecErrors(object, scale), ...scaleStatusErrors(object, scale)];
  }

  #statusErrors(object: unknown, old: unknown): Errors {
    const status = isObject(object) ? object["status"] : undefined;
    const declared = this.schema.properties?.["status"];
    if (status === undefined || declared === undefined) return none;
    this.#status ??= compileSchema(declared, { resource: false });
    return this.#status.validate(status, {
      old: isObject(old) ? old["status"] : undefined,
      path: "status",
    });
  }

  /** The errors of the schema together with those of its rules. */
  #withRules(errors: Errors, object: unknown, options: ResourceValidateOptions): Errors {
    const rules = this.#compiledRules();
    if (rules.isEmpty) return errors;
    if (errors.some(isBlocking)) return [...errors, unchecked];
    return [...errors, ...rules.validate(inputOf(object, options))];
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
