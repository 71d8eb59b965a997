// What validating one value found. Besides errors it counts the checks that ran: where alternatives all fail (anyOf,
// oneOf), Kubernetes reports the errors of the alternative that got furthest.
import { type FieldError, fieldError } from "@kubewright/api";

/** How Kubernetes prints a path that is not there. */
export const noPath = "<nil>";

/** So many errors are kept; what is that wrong is not looked at to the end. */
export const errorLimit = 1000;

/** Errors by their text (the same text is reported once), and the number of checks that ran. */
export class Findings {
  /** Made for the first error: most values have none, and there may be hundreds of thousands of them. */
  #errors: Map<string, FieldError> | undefined;
  matches = 0;

  get errors(): ReadonlyMap<string, FieldError> {
    return this.#errors ?? noErrors;
  }

  get valid(): boolean {
    return this.#errors === undefined;
  }

  /** Keeps an error; `text` is what tells it from others. */
  add(text: string, error: FieldError): void {
    this.#errors ??= new Map();
    if (this.#errors.size < errorLimit && !this.#errors.has(text)) this.#errors.set(text, error);
  }

  merge(other: Findings): void {
    this.matches += other.matches;
    if (!other.valid) for (const [text, error] of other.errors) this.add(text, error);
  }
}

const noErrors: ReadonlyMap<string, FieldError> = new Map();

/** Turns paths inside the value into field paths. */
export class Places {
  readonly #prefix: string | undefined;

  /** `prefix`: where the value stands in the object; undefined for a whole object. */
  constructor(prefix: string | undefined) {
    this.#prefix = prefix;
  }

  /** Where the value as a whole stands. */
  get root(): string {
    return this.#prefix ?? noPath;
  }

  field(path: string): string {
    const name = path.startsWith(".") ? path.slice(1) : path;
    if (name === "") return this.root;
    return this.#prefix === undefined ? name : `${this.#prefix}.${name}`;
  }

  /** Says that the value at a path `is` something it should not be: `spec.replicas in body should be …`. */
  invalid(findings: Findings, path: string, value: unknown, says: string): void {
    const text = `${path} in body ${says}`;
    findings.add(text, fieldError.invalid(this.field(path), value ?? "", text));
  }

  /** Says something that Kubernetes gives no field for. */
  general(findings: Findings, text: string): void {
    findings.add(text, fieldError.invalid(this.root, "", text));
  }
}
