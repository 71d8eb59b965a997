// A structural schema, compiled once: prunes, defaults and validates values as the API server does for custom resources.
import { type FieldError, fieldError, type JSONSchemaProps } from "@kubewright/api";
import { type Checker, generateChecker } from "./codegen/generate-checker.js";
import { type Defaulter, generateDefaulter } from "./codegen/generate-defaulter.js";
import { dropNulls } from "./defaults.js";
import { coerceEmbedded, embeddedErrors } from "./embedded/embedded-objects.js";
import { checkDepth, DepthError, isObject } from "./json-value.js";
import { listInvariantErrors } from "./list-invariants.js";
import { prune } from "./prune.js";
import { compileNode, type SchemaNode } from "./schema-node.js";
import { checkValue } from "./validation/check-value.js";
import { Correlation } from "./validation/correlation.js";
import { errorLimit, noPath } from "./validation/findings.js";

/** What the values of a schema are. */
export interface CompileSchemaOptions {
  /**
   * Values are whole objects: `apiVersion`, `kind` and `metadata` are known without being declared, and never pruned.
   * True unless said otherwise; false for a part of an object, such as its status.
   */
  readonly resource?: boolean | undefined;
}

/** What a value replaces and where it stands. */
export interface ValidateOptions {
  /** The value before the update; what did not change is not reported. */
  readonly old?: unknown;
  /** Where the value stands in the object, when it is a part of one: `status`. */
  readonly path?: string | undefined;
}

/**
 * Where a value comes from: what a client sent must be well-formed, what was stored long ago is mended, and into what was
 * converted from another version nothing is filled in.
 */
export type ValueSource = "request" | "storage" | "conversion";

/** What bringing a value into form found. */
export interface NormalizeResult {
  /** Paths of fields that were dropped: `spec.foo`, `spec.template.metadata.bogus`. */
  readonly unknownFields: readonly string[];
  /** The value cannot be read as one of its kind; it must be refused as malformed. */
  readonly error?: FieldError | undefined;
  /** True when it turned out on the way that the value is valid; `validate` would find nothing. */
  readonly valid: boolean;
}

/** A compiled schema. It holds no state and can be used any number of times. */
export interface CompiledSchema {
  readonly schema: JSONSchemaProps;
  /**
   * True when the value is valid and holds nothing to prune: `prune` and `validate` would find nothing. False means
   * that it takes those to tell. Several times faster than they are.
   */
  isClean(value: unknown): boolean;
  /** Fills in defaults, in place, and drops nulls that are neither allowed nor defaulted. */
  applyDefaults(value: unknown): void;
  /** Removes unknown fields, in place; returns their paths as the server reports them: `spec.foo`. */
  prune(value: unknown): string[];
  /** Makes a value what the server would hold, in place: defaulted, pruned, metadata of embedded objects in form. */
  normalize(value: unknown, source?: ValueSource): NormalizeResult;
  /**
   * What is wrong with the value, in Kubernetes' words; CEL rules are not part of it. A value that is not in order and
   * nested deeper than `valueDepthLimit` (or contains itself) gets one error that says so; of more than a thousand errors
   * the first thousand are given.
   */
  validate(value: unknown, options?: ValidateOptions): FieldError[];
}

/**
 * Compiles a schema. It need not be structural, but should be: use `validateCustomResourceDefinition` to know. Throws a
 * SchemaDepthError for a schema that is nested beyond reason.
 *
 * @example
 * const schema = compileSchema({ type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } });
 * schema.validate({ spec: { size: "5" } }); // spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"
 */
export function compileSchema(schema: JSONSchemaProps, options: CompileSchemaOptions = {}): CompiledSchema {
  return new Engine(schema, compileNode(schema), options.resource !== false);
}

/** What is said of a value that is too deep to walk; any other error goes on. */
function depthProblem(error: unknown, path: string): FieldError {
  if (!(error instanceof DepthError)) throw error;
  return fieldError.invalid(path, "", error.message);
}

const clean: NormalizeResult = { unknownFields: [], valid: true };

class Engine implements CompiledSchema {
  readonly schema: JSONSchemaProps;
  readonly #node: SchemaNode;
  readonly #resource: boolean;
  /** Generated when first needed: many schemas never see a value. */
  #checker: Checker | undefined;
  #defaulter: Defaulter | undefined;

  constructor(schema: JSONSchemaProps, node: SchemaNode, resource: boolean) {
    this.schema = schema;
    this.#node = node;
    this.#resource = resource;
  }

  isClean(value: unknown): boolean {
    this.#checker ??= generateChecker(this.#node, this.#resource) ?? (() => false);
    return this.#checker(value);
  }

  applyDefaults(value: unknown): void {
    this.#fillIn(value);
    dropNulls(value, this.#node);
  }

  #fillIn(value: unknown): void {
    this.#defaulter ??= generateDefaulter(this.#node);
    this.#defaulter(value);
  }

  prune(value: unknown): string[] {
    return prune(value, this.#node, this.#resource);
  }

  normalize(value: unknown, source: ValueSource = "request"): NormalizeResult {
    if (source !== "conversion") this.#fillIn(value);
    if (this.isClean(value)) return clean;
    try {
      return this.#mend(value, source);
    } catch (error) {
      return { unknownFields: [], error: depthProblem(error, noPath), valid: false };
    }
  }

  #mend(value: unknown, source: ValueSource): NormalizeResult {
    checkDepth(this.#walked(value));
    dropNulls(value, this.#node);
    const pruned = this.prune(value);
    const { unknownFields, error } = coerceEmbedded(value, this.#node, source === "storage");
    return { unknownFields: [...pruned, ...unknownFields], error, valid: false };
  }

  validate(value: unknown, options: ValidateOptions = {}): FieldError[] {
    if (this.isClean(value)) return [];
    try {
      return this.#explain(value, options);
    } catch (error) {
      return [depthProblem(error, options.path ?? noPath)];
    }
  }

  /** Metadata of a whole object is flat where anybody looks; what it says of owners may be longer than all else. */
  #walked(value: unknown): unknown {
    if (!this.#resource || !isObject(value)) return value;
    const { metadata: _metadata, ...rest } = value;
    return rest;
  }

  #explain(value: unknown, { old, path }: ValidateOptions): FieldError[] {
    const node = this.#node;
    checkDepth(this.#walked(value));
    checkDepth(this.#walked(old));
    const correlation = old === undefined ? undefined : new Correlation(node, value, old);
    // Duplicates are let through when there were any before, wherever they were.
    const hadDuplicates = old !== undefined && listInvariantErrors(old, node).length > 0;
    return [
      checkValue(node, value, { prefix: path, correlation }),
      embeddedErrors(value, node, path),
      hadDuplicates ? [] : listInvariantErrors(value, node, path),
    ]
      .flat()
      .slice(0, errorLimit + 1);
  }
}
