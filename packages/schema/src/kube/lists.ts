// List and map types: how server-side apply merges a list or an object that several managers write.
import { z } from "zod";
import { annotate } from "../define/annotation.js";

type Item = z.core.SomeType;

/** Names of the fields of a list's items. */
export type KeyOf<T extends Item> = keyof z.output<T> & string;

/**
 * A map list: items are identified by these fields, and field managers own single items.
 *
 * @example
 * kube.listMap(kube.ServicePort, ["port", "protocol"]).min(1)
 */
export function listMap<T extends Item>(item: T, keys: readonly [KeyOf<T>, ...KeyOf<T>[]]): z.ZodArray<T> {
  const keywords = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys };
  return z.array(item).check(annotate({ keywords }));
}

/** A set: scalars without duplicates; field managers own single values. */
export function listSet<T extends Item>(item: T): z.ZodArray<T> {
  return z.array(item).check(annotate({ keywords: { "x-kubernetes-list-type": "set" } }));
}

/** A list that is owned and replaced as a whole. */
export function listAtomic<T extends Item>(item: T): z.ZodArray<T> {
  return z.array(item).check(annotate({ keywords: { "x-kubernetes-list-type": "atomic" } }));
}

/** How many entries a map may have, and whether managers own single entries or the whole. */
export interface MapOptions {
  readonly minProperties?: number | undefined;
  readonly maxProperties?: number | undefined;
  /** Atomic: owned and replaced as a whole. */
  readonly mapType?: "granular" | "atomic" | undefined;
}

/** A map from strings, with limits on its size (rules over a map need one, or they are estimated too costly). */
export function map<T extends Item>(value: T, options: MapOptions = {}): z.ZodRecord<z.ZodString, T> {
  const { minProperties, maxProperties, mapType } = options;
  const keywords = {
    ...(minProperties === undefined ? {} : { minProperties }),
    ...(maxProperties === undefined ? {} : { maxProperties }),
    ...(mapType === undefined ? {} : { "x-kubernetes-map-type": mapType }),
  };
  return z.record(z.string(), value).check(annotate({ keywords }));
}

/** Makes an object or map owned and replaced as a whole. */
export function atomic<T extends z.ZodType>(schema: T): T {
  return schema.check(annotate({ keywords: { "x-kubernetes-map-type": "atomic" } }));
}
