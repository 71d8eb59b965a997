// The library for expressions that build JSON patches: escaping of keys in paths.
import { declare, globalOverload, type Library } from "../declarations.js";
import { stringType } from "../types.js";
import { noSuchOverload } from "../values/failure.js";

function escapeKey([key]: readonly unknown[]): string {
  if (typeof key !== "string") throw noSuchOverload();
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** `jsonpatch.escapeKey`. */
export const jsonPatchLibrary: Library = {
  functions: [
    declare(
      "jsonpatch.escapeKey",
      globalOverload("string_jsonpatch_escapeKey_string", [stringType], stringType, escapeKey),
    ),
  ],
};
