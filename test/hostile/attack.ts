// What all attacks have in common.
import { definition as gadgets, type Sample, samples } from "../robustness/samples.js";
import type { Sent } from "../robustness/target.js";
import type { Random } from "./random.js";

/** A request, and what it tries: results are counted by that. */
export interface Attack extends Sent {
  readonly attack: string;
}

/** Stands for the version the object has when the request is sent. */
export const currentVersion = "the current version";

/** Ordinary objects; not the definition that others of them need. */
export const fixed = samples.filter((sample) => sample !== gadgets);

/** The place of a sample, or of one of its subresources. */
export const placeOf = ({ path, object, subresources = [] }: Sample, random: Random, share = 0.2): string => {
  const subresource = random.chance(share) && subresources.length > 0 ? `/${random.pick(subresources)}` : "";
  return `${path}/${object.metadata.name}${subresource}`;
};

/** What would change how the server treats everyone is only tried. */
export function tried(place: string, parameters: URLSearchParams): URLSearchParams {
  if (/admissionregistration|resourcequotas|limitranges|\/namespaces$/.test(place))
    parameters.set("dryRun", "All");
  return parameters;
}
