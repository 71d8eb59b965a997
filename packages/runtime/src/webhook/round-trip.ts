// Checks that versions can be converted there and back: an API server does so all the time, and a field that is lost is lost for good.
import { apiVersionOf, type KubeObject } from "@kubewright/api";
import type { ConversionDefinition } from "./define-conversion.js";
import { distinctObject } from "./distinct-object.js";
import { jsonDiff } from "./json-diff.js";

/**
 * The fields that change when an object is converted to each other version and back, as lines such as
 * `v1 → v1alpha1 → v1: remove /spec/tier`; empty when nothing does. After each conversion fields that the version does not have are
 * pruned and defaults are filled in, as the API server does. Without an object it takes one of each version in which every field of
 * the schema is set, to something other than its default.
 *
 * @example
 * expect(roundTripLosses(appServiceConversion)).toEqual([]);
 */
export function roundTripLosses(conversion: ConversionDefinition, object?: KubeObject): readonly string[] {
  const objects = object ? [object] : conversion.schemas.map(distinctObject);
  return objects.flatMap((each) => lossesOf(conversion, each));
}

function lossesOf(conversion: ConversionDefinition, object: KubeObject): readonly string[] {
  const { hub, versions } = conversion;
  const own = object.apiVersion ?? "";
  const others = versions.map((version) => apiVersionOf({ group: hub.group, version }));
  return others
    .filter((other) => other !== own)
    .flatMap((other) => {
      const back = conversion.convert(conversion.convert(object, other), own);
      const route = [own, other, own].map((name) => name.split("/").at(-1)).join(" → ");
      return jsonDiff(object, back).map(({ op, path }) => `${route}: ${op} ${path}`);
    });
}
