// Types whose objects an expression can build: `Name{field: value}`.
import type { CelType } from "./types.js";

/** A type and its fields. */
export interface CelStruct {
  readonly type: CelType;
  /** The type of a field; undefined when there is no such field. */
  field(name: string): CelType | undefined;
}

/** The type of that name, if an expression may build it. */
export type FindStruct = (name: string) => CelStruct | undefined;
