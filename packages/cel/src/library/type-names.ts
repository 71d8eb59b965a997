// Types as values: `type(x)`, and the names types go by.
import { type ConstantDeclaration, declare, globalOverload, type Library } from "../declarations.js";
import { isAny, on1 } from "../guards.js";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  paramType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from "../types.js";
import { TypeValue } from "../values/opaque.js";
import { typeNameOf } from "../values/value.js";

/** The constant that stands for a type in expressions. */
export const typeConstant = (type: CelType): ConstantDeclaration => ({
  name: type.name,
  type: typeType(type),
  value: new TypeValue(type.name),
});

const anything = paramType("A");

/** `type` and the names of the types of standard CEL. */
export const typeLibrary: Library = {
  functions: [
    declare(
      "type",
      globalOverload(
        "type",
        [anything],
        typeType(anything),
        on1(isAny, (value) => new TypeValue(typeNameOf(value))),
      ),
    ),
  ],
  constants: [
    boolType,
    bytesType,
    doubleType,
    durationType,
    intType,
    listType(dynType),
    mapType(dynType, dynType),
    nullType,
    optionalType(dynType),
    stringType,
    timestampType,
    uintType,
    typeType(dynType),
  ].map(typeConstant),
};
