// The schema of a kind used in this process, with the answers the API server would give.
import {
  apiVersionOf,
  type FieldError,
  type GroupVersionKind,
  type JSONSchemaProps,
  ValidationError,
} from "@kubewright/api";
import { createResourceSchema, type MutableJson, type ResourceSchema } from "../structural/index.js";
import { cloneJson, DepthError, isObject } from "../structural/json-value.js";

/** Validation, defaulting and pruning for one version of a kind. */
export class LocalSchema {
  readonly #kind: GroupVersionKind;
  readonly #structural: JSONSchemaProps;
  #compiled: ResourceSchema | undefined;

  constructor(kind: GroupVersionKind, structural: JSONSchemaProps) {
    this.#kind = kind;
    this.#structural = structural;
  }

  validate(object: unknown, old?: unknown): readonly FieldError[] {
    const { errors } = this.#admit(object, old);
    return errors;
  }

  default(object: unknown): MutableJson {
    const copy = this.#copy(object);
    this.#schema.normalize(copy);
    return copy;
  }

  parse(object: unknown): MutableJson {
    const { errors, admitted } = this.#admit(object, undefined);
    if (errors.length > 0) throw new ValidationError(describe(this.#kind.kind, admitted), errors);
    return admitted;
  }

  #admit(
    object: unknown,
    old: unknown,
  ): { readonly admitted: MutableJson; readonly errors: readonly FieldError[] } {
    try {
      const admitted = this.#copy(object);
      const wrongKind = this.#kindErrors(admitted);
      if (wrongKind.length > 0) return { admitted, errors: wrongKind };
      const previous = old === undefined ? undefined : this.#copy(old);
      if (previous !== undefined) this.#schema.normalize(previous, "storage");
      const { error, errors } = this.#schema.admit(admitted, { old: previous });
      return { admitted, errors: error === undefined ? errors : [error] };
    } catch (error) {
      if (!(error instanceof DepthError)) throw error;
      return { admitted: null, errors: [invalid("", error.message)] };
    }
  }

  /** A copy of the caller's object, which is never changed, with the names that the definition knows. */
  #copy(object: unknown): MutableJson {
    const copy = cloneJson(object);
    if (!isObject(copy)) return copy;
    copy["apiVersion"] ??= apiVersionOf(this.#kind);
    copy["kind"] ??= this.#kind.kind;
    return copy;
  }

  #kindErrors(object: MutableJson): readonly FieldError[] {
    if (!isObject(object)) return [invalid("", "must be an object")];
    const expected = { apiVersion: apiVersionOf(this.#kind), kind: this.#kind.kind } as const;
    return (["apiVersion", "kind"] as const)
      .filter((field) => object[field] !== expected[field])
      .map((field) =>
        invalid(field, `Invalid value: ${JSON.stringify(object[field])}: must be ${expected[field]}`),
      );
  }

  get #schema(): ResourceSchema {
    this.#compiled ??= createResourceSchema(this.#structural);
    return this.#compiled;
  }
}

function invalid(field: string, message: string): FieldError {
  return { field, reason: "FieldValueInvalid", message };
}

/** `ModelBox shop/web`, as far as the object says. */
function describe(kind: string, object: MutableJson): string {
  const metadata = isObject(object) && isObject(object["metadata"]) ? object["metadata"] : {};
  const name = [metadata["namespace"], metadata["name"]].filter((part) => typeof part === "string").join("/");
  return name === "" ? kind : `${kind} ${name}`;
}
