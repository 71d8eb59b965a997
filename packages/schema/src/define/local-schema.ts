// The schema of a kind used in this process, with the answers the API server would give.
import {
  apiVersionOf,
  type FieldError,
  type GroupVersionKind,
  type JSONSchemaProps,
  ValidationError,
} from "@kubewright/api";
import { createResourceSchema, type MutableJson, type ResourceSchema } from "../structural/index.js";
import { isObject } from "../structural/json-value.js";
import { copyJson, type JsonCopy } from "./json-copy.js";

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
    const { copy, problems } = this.#copy(object);
    this.#refuse(copy, problems);
    this.#schema.normalize(copy);
    return copy;
  }

  parse(object: unknown): MutableJson {
    const { errors, admitted } = this.#admit(object, undefined);
    this.#refuse(admitted, errors);
    return admitted;
  }

  #refuse(object: MutableJson, errors: readonly FieldError[]): void {
    if (errors.length > 0) throw new ValidationError(describe(this.#kind.kind, object), errors);
  }

  #admit(
    object: unknown,
    old: unknown,
  ): { readonly admitted: MutableJson; readonly errors: readonly FieldError[] } {
    const { copy: admitted, problems } = this.#copy(object);
    const previous = old === undefined ? undefined : this.#copy(old);
    const malformed = [...problems, ...(previous?.problems ?? [])];
    const wrong = malformed.length > 0 ? malformed : this.#kindErrors(admitted);
    if (wrong.length > 0) return { admitted, errors: wrong };
    if (previous !== undefined) this.#schema.normalize(previous.copy, "storage");
    const { error, errors } = this.#schema.admit(admitted, { old: previous?.copy });
    return { admitted, errors: error === undefined ? errors : [error] };
  }

  /** A copy of the caller's object, which is never changed, with the names that the definition knows. */
  #copy(object: unknown): JsonCopy {
    const { copy, problems } = copyJson(object);
    if (!isObject(copy)) return { copy, problems };
    copy["apiVersion"] ??= apiVersionOf(this.#kind);
    copy["kind"] ??= this.#kind.kind;
    return { copy, problems };
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
