// Generated files that somebody edited, or wrote in their place. They are kept, and what they say counts in every output that has the
// same objects: dist/install.yaml and deploy, as in kustomize.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@kubewright/api";
import { filesUnder } from "./files-under.js";
import { originOf } from "./generated-file.js";
import type { Manifest } from "./operator.js";
import { documentsIn, patchesFolder } from "./own-patches.js";

/** Texts by path in the project. */
export type EditedFiles = ReadonlyMap<string, string>;

/** What stands for an image that nobody has named yet. */
export const unstatedImage = "controller:latest";

/** Of config/, without what is the user's own from the start. */
export function editedFiles(root: string): EditedFiles {
  return new Map(
    filesUnder(root, "config")
      .filter((path) => /\.ya?ml$/.test(path) && !/^config\/(samples|patches)\//.test(path))
      .map((path) => [path, readFileSync(join(root, path), "utf8")] as const)
      .filter(([, text]) => originOf(text) !== "generated"),
  );
}

/** The objects of a file that was edited, with the image that is asked for; undefined for any other file. */
export function editedObjects(
  { edited, image }: { readonly edited: EditedFiles; readonly image: string },
  path: string,
): readonly Manifest[] | undefined {
  const text = edited.get(path);
  if (text === undefined) return undefined;
  const objects = documentsIn(text, path) as readonly Manifest[];
  return image === unstatedImage ? objects : objects.map((object) => withImage(object, image));
}

/** `kustomize edit set image`, in short. */
function withImage(object: Manifest, image: string): Manifest {
  const { kind, spec } = object;
  if (kind !== "Deployment" || !isObject(spec) || !isObject(spec["template"])) return object;
  const pod = spec["template"]["spec"];
  if (!isObject(pod) || !Array.isArray(pod["containers"])) return object;
  const containers = pod["containers"].map((each: unknown) =>
    isObject(each) && each["name"] === "manager" ? { ...each, image } : each,
  );
  return { ...object, spec: { ...spec, template: { ...spec["template"], spec: { ...pod, containers } } } };
}

/** What to tell of edited files about outputs that do not have what they say. */
export function editWarnings(edited: EditedFiles, outputs: readonly string[]): readonly string[] {
  const bases = [...edited.keys()].filter((path) => path.endsWith("/kustomization.yaml"));
  const others = [...edited.keys()].filter((path) => !bases.includes(path));
  const elsewhere = `make the change in ${patchesFolder}, which every output obeys`;
  return [
    ...bases.map((path) => `${path} was edited: only kustomize obeys it; ${elsewhere}`),
    ...outputs.flatMap((output) =>
      others.map((path) => `${path} was edited: ${output} does not have that; ${elsewhere}`),
    ),
  ];
}
