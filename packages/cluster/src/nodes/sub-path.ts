// The parts of volumes that a container mounts, where their names are put together from its variables (`subPathExpr`).
import type { Container, VolumeMount } from "@kubewright/api";
import { expandReferences } from "./expand-references.js";

/** Whether the container has mounts that depend on its variables. */
export const hasSubPathExpr = ({ volumeMounts = [] }: Container): boolean =>
  volumeMounts.some(({ subPathExpr }) => subPathExpr);

/** The container with plain sub paths. */
export function withSubPaths(container: Container, variables: ReadonlyMap<string, string>): Container {
  const plain = (mount: VolumeMount): VolumeMount => {
    const { subPathExpr, ...rest } = mount;
    return subPathExpr ? { ...rest, subPath: expandReferences(subPathExpr, variables) } : mount;
  };
  return { ...container, volumeMounts: container.volumeMounts?.map(plain) };
}

/** The kubelet's message for a mount whose sub path cannot be; undefined when all can. */
export function subPathProblem(
  { volumeMounts = [] }: Container,
  variables: ReadonlyMap<string, string>,
): string | undefined {
  for (const { subPathExpr } of volumeMounts) {
    if (!subPathExpr) continue;
    const missing = missingIn(subPathExpr, variables);
    if (missing.length > 0) return `missing value for ${missing.join(", ")}`;
    const path = expandReferences(subPathExpr, variables);
    if (path.startsWith("/")) return `error SubPath \`${path}\` must not be an absolute path`;
    if (path.split("/").includes(".."))
      return `unable to provision SubPath \`${path}\`: must not contain '..'`;
  }
  return undefined;
}

/** The names without a value, in order. */
function missingIn(text: string, variables: ReadonlyMap<string, string>): readonly string[] {
  const names = [...text.matchAll(/\$\$|\$\(([^)]*)\)/g)].flatMap(([, name]) => name ?? []);
  return [...new Set(names)].filter((name) => !variables.get(name)).sort();
}
