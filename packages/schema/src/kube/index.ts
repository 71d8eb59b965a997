// Kubernetes' own types and list forms as schemas.
export { conditions } from "./conditions.js";
export { kube } from "./kube.js";
export type { KeyOf, MapOptions } from "./lists.js";
export type { KubeSchema } from "./raw-schema.js";
