// Values only their own functions understand: quantities, addresses, versions.

/** A value of an opaque type. */
export abstract class OpaqueValue {
  /** `kubernetes.Quantity`, `net.IP`. */
  abstract readonly typeName: string;
  /** Whether both are the same; called with values of the same type only. */
  abstract equals(other: OpaqueValue): boolean;
  /** Its size in cost rules; most have one. */
  get size(): number {
    return 1;
  }
}

/** A type as a value: `int`, `type(x)`. */
export class TypeValue extends OpaqueValue {
  readonly typeName = "type";
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof TypeValue && other.name === this.name;
  }
}
