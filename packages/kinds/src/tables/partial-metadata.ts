// Objects reduced to their metadata, for clients that need no more.
import { isObject, type JsonObject } from "@kubewright/api";

/** Versions of the meta.k8s.io forms. */
export type MetaVersion = "v1" | "v1beta1";

/** The `PartialObjectMetadata` of an object. */
export function partialObjectMetadata(object: JsonObject, version: MetaVersion = "v1"): JsonObject {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: shownMetadata(object),
  };
}

/** Annotations that hold fields of another version: kube-apiserver takes metadata from its own form, which has the fields. */
const fieldAnnotations = new Map([
  ["apps/v1 DaemonSet", ["deprecated.daemonset.template.generation"]],
  [
    "autoscaling/v1 HorizontalPodAutoscaler",
    [
      "autoscaling.alpha.kubernetes.io/metrics",
      "autoscaling.alpha.kubernetes.io/current-metrics",
      "autoscaling.alpha.kubernetes.io/conditions",
      "autoscaling.alpha.kubernetes.io/behavior",
    ],
  ],
]);

function shownMetadata(object: JsonObject): JsonObject {
  const { annotations, ...metadata } = metadataOf(object);
  const hidden = fieldAnnotations.get(`${object["apiVersion"]} ${object["kind"]}`);
  if (!hidden || !isObject(annotations)) return metadataOf(object);
  const shown = Object.entries(annotations).filter(([key]) => !hidden.includes(key));
  return shown.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(shown) };
}

/** The `PartialObjectMetadataList` of a list. */
export function partialObjectMetadataList(
  listMeta: JsonObject,
  objects: readonly JsonObject[],
  version: MetaVersion = "v1",
): JsonObject {
  return {
    kind: "PartialObjectMetadataList",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: typedListMeta(listMeta),
    items: objects.map((object) => partialObjectMetadata(object, version)),
  };
}

/** Lists of custom objects say `continue: ""`; the forms of meta.k8s.io leave it out. */
export function typedListMeta(listMeta: JsonObject): JsonObject {
  const { continue: token, ...rest } = listMeta;
  return token ? listMeta : rest;
}

/** The metadata of an object, empty where it has none. */
export function metadataOf(object: JsonObject): JsonObject {
  const { metadata } = object;
  return isObject(metadata) ? metadata : {};
}
