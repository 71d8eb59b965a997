// What one run over an object gathers: where it is, what it had to drop, what did not fit.
import type { StructFacts, TypeFacts } from "@kubewright/api";
import { formatPath } from "../json/json-scanner.js";
import type { NumberLiterals } from "../json/number-literals.js";
import { goField, goKind, goType } from "./go-type.js";

/** kube-apiserver reports no more than this. */
const maxUnknown = 100;

/** The state of one run. */
export class FitContext {
  /** Keys and indexes down to the value being looked at; only the first `depth` count. */
  readonly steps: (string | number)[] = [];
  depth = 0;
  readonly unknownFields: string[] = [];
  readonly literals: NumberLiterals | undefined;
  /** Above zero inside types that decode themselves in Go: what they drop is not reported. */
  silent = 0;
  readonly #root: StructFacts;
  #mismatch: string | undefined;
  #failure: string | undefined;

  constructor(root: StructFacts, literals: NumberLiterals | undefined) {
    this.#root = root;
    this.literals = literals;
  }

  /** A failure of a type that decodes itself ends decoding; a mismatch only counts when there is none. */
  get error(): string | undefined {
    return this.#failure ?? this.#mismatch;
  }

  get path(): readonly (string | number)[] {
    return this.steps.slice(0, this.depth);
  }

  /** A field of the struct being looked at had to go. */
  unknown(key: string): void {
    if (this.silent > 0 || this.unknownFields.length >= maxUnknown) return;
    this.unknownFields.push(formatPath([...this.path, key]));
  }

  /** The value has the wrong type for its place. */
  mismatch(value: unknown, facts: TypeFacts, what: string = goKind(value)): void {
    this.#mismatch ??= `json: cannot unmarshal ${what} into Go struct field ${goField(this.#root, this.path)} of type ${goType(facts)}`;
  }

  /** The first soft error, in words of its own. */
  complain(message: string): void {
    this.#mismatch ??= message;
  }

  /** A type that decodes itself refused. */
  fail(message: string): void {
    this.#failure ??= message;
  }

  /** The text of a number, where it was unusual. */
  literalOf(holder: object): string | undefined {
    const key = this.steps[this.depth - 1];
    return key === undefined ? undefined : this.literals?.get(holder)?.get(key);
  }
}
