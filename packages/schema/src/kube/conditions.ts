// The conditions every status should have.
import type { Condition } from "@kubewright/api";
import type { z } from "zod";
import { builtinTypes } from "./builtin-types.js";
import { listMap } from "./lists.js";
import type { KubeSchema } from "./raw-schema.js";

/**
 * The conditions of a status, with the limits Kubernetes puts on them: a list by type, absent until the first is set. `.describe()`
 * replaces the text that `kubectl explain` shows for the list, and is the place to name its types.
 */
export function conditions(): z.ZodOptional<z.ZodArray<KubeSchema<Condition>>> {
  return listMap(builtinTypes.Condition(), ["type"])
    .optional()
    .describe("The state of the object, one aspect in each condition");
}
