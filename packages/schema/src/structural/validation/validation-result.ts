// The result of validating one value, as kube-openapi's validate.Result. Besides errors it counts the checks that ran: where all
// alternatives fail (anyOf, oneOf), Kubernetes reports the errors of the one with the most.
import { type FieldError, fieldError } from "@kubewright/api";

/** The text that Kubernetes prints for an empty path. */
export const noPath = "<nil>";

/** The number of errors at which validation stops. */
export const errorLimit = 1000;

/** Errors by their text (the same text is reported once), and the number of checks that ran. */
export class ValidationResult {
  /** Made for the first error: most values have none, and there may be hundreds of thousands of them. */
  #errors: Map<string, FieldError> | undefined;
  matches = 0;

  get errors(): ReadonlyMap<string, FieldError> {
    return this.#errors ?? noErrors;
  }

  get valid(): boolean {
    return this.#errors === undefined;
  }

  /** Adds an error; errors with the same text are reported once. */
  add(text: string, error: FieldError): void {
    this.#errors ??= new Map();
    if (this.#errors.size < errorLimit && !this.#errors.has(text)) this.#errors.set(text, error);
  }

  merge(other: ValidationResult): void {
    this.matches += other.matches;
    if (!other.valid) for (const [text, error] of other.errors) this.add(text, error);
  }
}

const noErrors: ReadonlyMap<string, FieldError> = new Map();

/** Turns paths inside the value into field paths. */
export class FieldPaths {
  readonly #prefix: string | undefined;

  /** `prefix`: where the value stands in the object; undefined for a whole object. */
  constructor(prefix: string | undefined) {
    this.#prefix = prefix;
  }

  /** The field path of the value as a whole. */
  get root(): string {
    return this.#prefix ?? noPath;
  }

  field(path: string): string {
    const name = path.startsWith(".") ? path.slice(1) : path;
    if (name === "") return this.root;
    return this.#prefix === undefined ? name : `${this.#prefix}.${name}`;
  }

  /** Adds an error about the value at a path: `spec.replicas in body should be …`. */
  invalid(result: ValidationResult, path: string, value: unknown, says: string): void {
    const text = `${path} in body ${says}`;
    result.add(text, fieldError.invalid(this.field(path), value ?? "", text));
  }

  /** Adds an error for which Kubernetes reports no field. */
  general(result: ValidationResult, text: string): void {
    result.add(text, fieldError.invalid(this.root, "", text));
  }
}
