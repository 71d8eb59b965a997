// Field managers may have written in other versions than the request. The apply engine asks for such versions while it
// works and cannot wait; so what it lacks is fetched, and it starts over.

import { stringifyJson } from "@kubewright/api";
import type { AnyObject, ConvertVersion, VersionedObject } from "@kubewright/machinery";
import type { RequestContext } from "./request-context.js";
import type { ResourceKind } from "./resource-kind.js";

/** The engine lacks a conversion that takes time. */
class Missing extends Error {
  readonly arrived: Promise<void>;

  constructor(arrived: Promise<void>) {
    super("a conversion is under way");
    this.arrived = arrived;
  }
}

/** Runs the engine with the conversions of a kind. It must have no effects: it may run several times. */
export async function withManagerVersions<T>(
  context: RequestContext,
  kind: ResourceKind,
  run: (convert: ConvertVersion | undefined) => T | Promise<T>,
): Promise<T> {
  const { conversion } = kind;
  if (kind.toVersion) return run((object, apiVersion) => kind.toVersion?.(object, apiVersion));
  if (!conversion?.toVersion) return run(undefined);
  const known = new Map<string, VersionedObject | undefined>();
  const convert = (object: AnyObject, apiVersion: string): VersionedObject | undefined => {
    const key = `${apiVersion} ${stringifyJson(object)}`;
    if (known.has(key)) return known.get(key);
    const converted = conversion.toVersion?.(object, apiVersion, context);
    if (!(converted instanceof Promise)) return converted;
    throw new Missing(converted.then((versioned) => void known.set(key, versioned)));
  };
  for (;;) {
    try {
      return await run(convert);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      await error.arrived;
    }
  }
}
