// The conditions every status should have, with the limits Kubernetes puts on them.
import type { Condition, JSONSchemaProps } from "@kubewright/api";
import type { z } from "zod";
import { listMap } from "./lists.js";
import { type KubeSchema, rawSchema } from "./raw-schema.js";

const schema: JSONSchemaProps = {
  type: "object",
  required: ["lastTransitionTime", "message", "reason", "status", "type"],
  properties: {
    type: {
      type: "string",
      maxLength: 316,
      pattern:
        "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    },
    status: { type: "string", enum: ["True", "False", "Unknown"] },
    observedGeneration: { type: "integer", format: "int64", minimum: 0 },
    lastTransitionTime: { type: "string", format: "date-time" },
    reason: {
      type: "string",
      minLength: 1,
      maxLength: 1024,
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    },
    message: { type: "string", maxLength: 32768 },
  },
};

/** One condition of a status. */
export function condition(): KubeSchema<Condition> {
  return rawSchema<Condition>(() => schema);
}

/** The conditions of a status: a list by type, absent until the first is set. */
export function conditions(): z.ZodOptional<z.ZodArray<KubeSchema<Condition>>> {
  return listMap(condition(), ["type"]).optional();
}
