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
import { errorLimit, noPath } from "./validation/validation-result.js";

/** Options of compileSchema. */
export interface CompileSchemaOptions {
  /**
   * Values are whole objects: `apiVersion`, `kind` and `metadata` are known without being declared, and never pruned.
   * Default: true; false for a part of an object, such as its status.
   */
  readonly resource?: boolean | undefined;
}

/** Options of `validate`. */
export interface ValidateOptions {
  /** The value before the update; what did not change is not reported. */
  readonly old?: unknown;
  /** The field path of the value, when it is a part of an object: `status`. */
  readonly path?: string | undefined;
}

/**
 * The source of a value. A request must be well-formed; in a stored object malformed metadata is dropped; an object that was converted from
 * another version gets no defaults; server-side apply leaves nulls, which are refused like any other value of a wrong type.
 */
export type ValueSource = "request" | "storage" | "conversion" | "apply";

/** The result of `normalize`. */
export interface NormalizeResult {
  /** Paths of fields that were dropped: `spec.foo`, `spec.template.metadata.bogus`. */
  readonly unknownFields: readonly string[];
  /** The value cannot be decoded as one of its kind; it must be refused as malformed. */
  readonly error?: FieldError | undefined;
  /** True when the value is known to be valid: `validate` would return no errors. */
  readonly valid: boolean;
}

/** A compiled schema. It holds no state and can be used any number of times. */
export interface CompiledSchema {
  readonly schema: JSONSchemaProps;
  /**
   * True when the value is valid and has nothing to prune. False means only that `prune` and `validate` have to decide. Several times
   * faster than those.
   */
  isClean(value: unknown): boolean;
  /** Fills in defaults, in place, and drops nulls that are neither allowed nor defaulted. */
  applyDefaults(value: unknown): void;
  /** Removes unknown fields, in place; returns their paths as the server reports them: `spec.foo`. */
  prune(value: unknown): string[];
  /** Defaults and prunes a value and coerces the metadata of embedded objects, in place, as the API server does before storing. */
  normalize(value: unknown, source?: ValueSource): NormalizeResult;
  /**
   * The errors of the value, with Kubernetes' messages; CEL rules are not part of it. An invalid value that is nested deeper than
   * `valueDepthLimit` (or contains itself) gets one error about that. At most a thousand errors are returned.
   */
  validate(value: unknown, options?: ValidateOptions): FieldError[];
}

/**
 * Compiles a schema. It need not be structural, but should be: use `validateCustomResourceDefinition` to know. Throws a
 * SchemaDepthError for a schema that is nested deeper than `schemaDepthLimit`.
 *
 * @example
 * const schema = compileSchema({ type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } });
 * schema.validate({ spec: { size: "5" } }); // spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"
 */
export function compileSchema(schema: JSONSchemaProps, options: CompileSchemaOptions = {}): CompiledSchema {
  return new Engine(schema, compileNode(schema), options.resource !== false);
}

/** The field error for a DepthError; any other error is thrown again. */
function depthProblem(error: unknown, path: string): FieldError {
  if (!(error instanceof DepthError)) throw error;
  return fieldError.invalid(path, "", error.message);
}

const clean: NormalizeResult = { unknownFields: [], valid: true };

class Engine implements CompiledSchema {
  readonly schema: JSONSchemaProps;
  readonly #node: SchemaNode;
  readonly #resource: boolean;
  /** Generated when it is first needed: many schemas are never used. */
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
      return this.#pruneAndCoerce(value, source);
    } catch (error) {
      return { unknownFields: [], error: depthProblem(error, noPath), valid: false };
    }
  }

  #pruneAndCoerce(value: unknown, source: ValueSource): NormalizeResult {
    checkDepth(this.#walked(value));
    if (source !== "apply") dropNulls(value, this.#node);
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

  /** The value without the metadata of a whole object, whose managedFields may be larger than everything else. */
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
    // Ratcheting: duplicates are allowed when the old object had any, wherever they were.
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
