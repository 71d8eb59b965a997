// What the API server and local validation use: a schema together with its CEL rules, and the order in which things happen
// to an object of that kind.
import { type FieldError, fieldError, type JSONSchemaProps } from "@kubewright/api";
import { compileSchemaRules, createBudget, type SchemaRules } from "../cel/index.js";
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
  /**
   * Rules that an updated object breaks but did not change: let through, with these texts as warnings. Empty unless
   * there is an `old` to compare with.
   */
  ratchetWarnings(object: unknown, options: ValidateOptions): readonly string[];
  /** Both: brings an object into form, in place, and says what is wrong with it. */
  admit(object: unknown, options?: ValidateOptions): Admission;
}

export interface ResourceSchemaOptions {
  /** Where the schema stands, for errors in its rules. */
  readonly path?: string | undefined;
  /** See CompileSchemaOptions. */
  readonly resource?: boolean | undefined;
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
    return this.#compiledRules().errors;
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

  ratchetWarnings(object: unknown, options: ValidateOptions): readonly string[] {
    const rules = this.#compiledRules();
    const { old, path } = options;
    if (old === undefined || rules.isEmpty || this.#compiled.validate(object, options).some(isBlocking))
      return [];
    const check = (ratchet: boolean): string[] =>
      rules.validate({ self: object, old, path, ratchet, budget: createBudget() }).map(errorText);
    const broken = check(false);
    if (broken.length === 0) return [];
    const refused = new Set(check(true));
    return broken.filter((text) => !refused.has(text));
  }

  /** The errors of the schema together with those of its rules. */
  #withRules(
    errors: readonly FieldError[],
    object: unknown,
    options: ValidateOptions,
  ): readonly FieldError[] {
    const rules = this.#compiledRules();
    if (rules.isEmpty) return errors;
    if (errors.some(isBlocking)) return [...errors, fieldError.invalid(noPath, null, notChecked)];
    const { old, path } = options;
    return [...errors, ...rules.validate({ self: object, old, path, budget: createBudget() })];
  }

  #compiledRules(): SchemaRules {
    this.#rules ??= compileSchemaRules(this.schema, { path: this.#options.path ?? "" });
    return this.#rules;
  }
}

const errorText = ({ field, message }: FieldError): string => `${field}: ${message}`;

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
