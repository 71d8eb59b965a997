// One name for everything Kubernetes has and zod has not.
import { builtin } from "./builtin.js";
import { builtinTypes } from "./builtin-types.js";
import { keywords } from "./keywords.js";
import { withLazyProperties } from "./lazy-properties.js";
import { atomic, listAtomic, listMap, listSet, map } from "./lists.js";
import { embeddedResource, opaque } from "./opaque.js";
import { rawSchema } from "./raw-schema.js";
import { bytes, duration, intOrString, quantity, time } from "./scalars.js";

/**
 * List forms, scalars and built-in types of Kubernetes, as zod schemas.
 *
 * @example
 * z.object({
 *   ports: kube.listMap(kube.ServicePort, ["port", "protocol"]),
 *   template: kube.opaque(kube.PodTemplateSpec),
 *   timeout: kube.duration().default("30s"),
 * });
 */
export const kube = withLazyProperties(
  {
    atomic,
    bytes,
    duration,
    embeddedResource,
    intOrString,
    keywords,
    listAtomic,
    listMap,
    listSet,
    map,
    opaque,
    quantity,
    schema: rawSchema,
    time,
    type: builtin,
  },
  builtinTypes,
);
