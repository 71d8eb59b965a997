// The state of normalizing one object: the current path, the unknown fields, the first type error.
import type { StructInfo, TypeInfo } from "@kubewright/api";
import { formatPath } from "../json/json-scanner.js";
import type { NumberLiterals } from "../json/number-literals.js";
import type { MutableJson } from "../mutable-json.js";
import { conversionProblem } from "./conversion-problem.js";
import { goField, goKind, goTypeAt } from "./go-type.js";

/** kube-apiserver reports no more than this. */
const maxUnknown = 100;

/** The state of normalizing one object. */
export class NormalizeContext {
  /** Keys and indexes down to the current value; only the first `depth` count. */
  readonly keys: (string | number)[] = [];
  depth = 0;
  readonly unknownFields: string[] = [];
  readonly literals: NumberLiterals | undefined;
  /** Paths of lists and maps that are there, and empty. */
  readonly emptyFields = new Set<string>();
  /** Paths of byte strings that are there, and empty. */
  readonly emptyBytes = new Set<string>();
  /** Above zero inside types with an UnmarshalJSON of their own, whose unknown fields Go does not report. */
  silent = 0;
  readonly #root: StructInfo;
  #mismatch: string | undefined;
  #failure: string | undefined;

  /** Set where the value never was JSON: kube-apiserver converts it by other rules then, and has other words for what cannot be. */
  readonly isMerged: boolean;

  constructor(root: StructInfo, literals: NumberLiterals | undefined, isMerged = false) {
    this.#root = root;
    this.literals = literals;
    this.isMerged = isMerged;
  }

  /** The failure of a type with an UnmarshalJSON of its own ends decoding in Go; a mismatch counts only where there is none. */
  get error(): string | undefined {
    return this.#failure ?? this.#mismatch;
  }

  get path(): readonly (string | number)[] {
    return this.keys.slice(0, this.depth);
  }

  /** Notes that the list, map or byte string at the current path is empty. */
  foundEmpty(value: MutableJson): void {
    const paths = value === "" ? this.emptyBytes : this.emptyFields;
    paths.add(this.path.join("."));
  }

  /** Reports a field that the struct at the current path does not have. */
  unknown(key: string): void {
    if (this.silent > 0 || this.unknownFields.length >= maxUnknown) return;
    this.unknownFields.push(formatPath([...this.path, key]));
  }

  /** Reports a value of the wrong type. */
  mismatch(value: unknown, typeInfo: TypeInfo, what: string = goKind(value)): void {
    if (this.#mismatch !== undefined) return;
    const type = goTypeAt(this.#root, this.path, typeInfo);
    if (this.isMerged) {
      this.#mismatch = conversionProblem(value, typeInfo, type);
      return;
    }
    this.#mismatch = `json: cannot unmarshal ${what} into Go struct field ${goField(this.#root, this.path)} of type ${type}`;
  }

  /** Reports another type error. */
  complain(message: string): void {
    this.#mismatch ??= message;
  }

  /** Reports a value of the wrong type that a type with an UnmarshalJSON of its own was given. */
  failType(what: string, type: string): void {
    this.#failure ??= `json: cannot unmarshal ${what} into Go struct field ${goField(this.#root, this.path)} of type ${type}`;
  }

  /** Reports the failure of a type with an UnmarshalJSON of its own. */
  fail(message: string): void {
    this.#failure ??= message;
  }

  /** The literal of the number at the current path, where one was kept. */
  literalOf(holder: object): string | undefined {
    const key = this.keys[this.depth - 1];
    return key === undefined ? undefined : this.literals?.get(holder)?.get(key);
  }
}
