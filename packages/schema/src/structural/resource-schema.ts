// What the API server and local validation use: a schema together with its CEL rules, and the order in which things happen
// to an object of that kind.
import { type FieldError, fieldError, type JSONSchemaProps } from "@kubewright/api";
import { type CompileSchemaRules, createBudget, type SchemaRules } from "../cel/index.js";
import {
  type CompiledSchema,
  compileSchema,
  type NormalizeResult,
  type ValidateOptions,
  type ValueSource,
} from "./compiled-schema.js";
import { noPath } from "./validation/findings.js";

/** What became of an object. */
export interface Admission extends NormalizeResult {
  readonly errors: readonly FieldError[];
}

/** The schema of one version of a custom kind. */
export interface ResourceSchema {
  readonly schema: JSONSchemaProps;
  /** What is wrong with the CEL rules of the schema; such a schema must not be used. */
  readonly ruleErrors: readonly FieldError[];
  /** Makes an object what the server would hold: defaulted, pruned, embedded metadata in form. Works in place. */
  normalize(object: unknown, source?: ValueSource): NormalizeResult;
  /** What is wrong with an object that has been brought into form: schema, embedded objects, lists, CEL rules. */
  validate(object: unknown, options?: ValidateOptions): readonly FieldError[];
  /** Both: brings an object into form, in place, and says what is wrong with it. */
  admit(object: unknown, options?: ValidateOptions): Admission;
}

export interface ResourceSchemaOptions {
  /** Where the schema stands, for errors in its rules. */
  readonly path?: string | undefined;
  /** See CompileSchemaOptions. */
  readonly resource?: boolean | undefined;
  readonly compileRules?: CompileSchemaRules | undefined;
}

/** Prepares a schema for use; patterns, rules and checks are compiled once. */
export function createResourceSchema(
  schema: JSONSchemaProps,
  options: ResourceSchemaOptions = {},
): ResourceSchema {
  return new Pipeline(schema, options);
}

const none: readonly FieldError[] = [];
const noOptions: ValidateOptions = {};

class Pipeline implements ResourceSchema {
  readonly #compiled: CompiledSchema;
  readonly #options: ResourceSchemaOptions;
  #rules: SchemaRules | undefined;

  constructor(schema: JSONSchemaProps, options: ResourceSchemaOptions) {
    this.#compiled = compileSchema(schema, options);
    this.#options = options;
  }

  get schema(): JSONSchemaProps {
    return this.#compiled.schema;
  }

  get ruleErrors(): readonly FieldError[] {
    return this.#compiledRules()?.errors ?? [];
  }

  normalize(object: unknown, source?: ValueSource): NormalizeResult {
    return this.#compiled.normalize(object, source);
  }

  validate(object: unknown, options: ValidateOptions = noOptions): readonly FieldError[] {
    return this.#withRules(this.#compiled.validate(object, options), object, options);
  }

  admit(object: unknown, options: ValidateOptions = noOptions): Admission {
    const { unknownFields, error, valid } = this.#compiled.normalize(object);
    if (error !== undefined) return { unknownFields, error, valid, errors: none };
    const found = valid ? none : this.#compiled.validate(object, options);
    return { unknownFields, valid, errors: this.#withRules(found, object, options) };
  }

  /** The errors of the schema together with those of its rules. */
  #withRules(
    errors: readonly FieldError[],
    object: unknown,
    options: ValidateOptions,
  ): readonly FieldError[] {
    const rules = this.#compiledRules();
    if (rules === undefined || rules.isEmpty) return errors;
    if (errors.some(isBlocking)) return [...errors, fieldError.invalid(noPath, null, notChecked)];
    const { old, path } = options;
    return [...errors, ...rules.validate({ self: object, old, path, budget: createBudget() })];
  }

  #compiledRules(): SchemaRules | undefined {
    this.#rules ??= this.#options.compileRules?.(this.schema, { path: this.#options.path ?? "" });
    return this.#rules;
  }
}

const notChecked =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

const blocking: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** Rules count on types, sizes and presence; they do not run on an object where those are wrong. */
const isBlocking = (error: FieldError): boolean => blocking.has(error.reason);
