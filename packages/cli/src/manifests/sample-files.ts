// config/samples: a generated sample for each kind that has none of its own there. What people wrote is left alone.
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { type Files, kustomization } from "./config-files.js";
import { read } from "./file-plan.js";
import { filesUnder } from "./files-under.js";
import { originOf } from "./generated-file.js";
import type { Operator } from "./operator.js";
import { sampleOf } from "./sample.js";

const folder = "config/samples";

/** Samples to generate, and the kustomization over all that are there. */
export function sampleFiles(root: string, { kinds }: Pick<Operator, "kinds">): Files {
  const own = ownSamples(root);
  const shown = new Set(Array.from(own.values(), (shown) => shown.map(groupAndKind)).flat());
  const files = new Map<string, string>();
  for (const kind of kinds) {
    const file = `${folder}/${kind.group.split(".")[0]}_${kind.version}_${kind.kind.toLowerCase()}.yaml`;
    if (!shown.has(`${kind.group} ${kind.kind}`) && !own.has(file)) files.set(file, sampleOf(kind));
  }
  const all = [...own.keys(), ...files.keys()].map((path) => path.slice(folder.length + 1)).sort();
  if (all.length > 0) files.set(`${folder}/kustomization.yaml`, kustomization(all));
  return files;
}

/** An object in a sample. */
export interface SampleObject {
  readonly apiVersion: string;
  readonly kind: string;
}

const groupAndKind = ({ apiVersion, kind }: SampleObject): string =>
  `${apiVersion.split("/").slice(0, -1).join("/")} ${kind}`;

/** The objects in each sample that was not generated, or was edited since. */
export function ownSamples(root: string): ReadonlyMap<string, readonly SampleObject[]> {
  const found = new Map<string, readonly SampleObject[]>();
  for (const path of filesUnder(root, folder)) {
    if (!/\.ya?ml$/.test(path) || path.endsWith("/kustomization.yaml")) continue;
    const text = read(join(root, path)) ?? "";
    if (originOf(text) !== "generated") found.set(path, objectsIn(text));
  }
  return found;
}

function objectsIn(text: string): readonly SampleObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const object: unknown = "toJS" in document ? document.toJS({ maxAliasCount: 0 }) : undefined;
    if (typeof object !== "object" || object === null || !("apiVersion" in object) || !("kind" in object))
      return [];
    const { apiVersion, kind } = object;
    return typeof apiVersion === "string" ? [{ apiVersion, kind: String(kind) }] : [];
  });
}
