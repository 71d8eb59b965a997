// The expansions of the macros with two loop variables. They are compiled as loops; this declares the types of the expansion.
import { declare, globalOverload, type Invoke, type Library } from "../declarations.js";
import { mapType, paramType } from "../types.js";
import { noSuchOverload } from "../values/failure.js";

const key = paramType("K");
const value = paramType("V");
const map = mapType(key, value);

const compiled: Invoke = () => {
  throw noSuchOverload();
};

/** The step of `transformMap` and `transformMapEntry`. */
export const mapInsertLibrary: Library = {
  functions: [
    declare(
      "cel.@mapInsert",
      globalOverload("@mapInsert_map_key_value", [map, key, value], map, compiled),
      globalOverload("@mapInsert_map_map", [map, map], map, compiled),
    ),
  ],
};
