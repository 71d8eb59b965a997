// Definitions from the cluster that the kubeconfig leads to.
import { CustomResourceDefinition, isNotFound } from "@kubewright/api";
import { clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import { suggestion } from "../nearest.js";

/** Which cluster. */
export interface ClusterChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** Reads definitions by name: `certificates.cert-manager.io`, or a group to have all of its kinds. */
export async function crdsOfCluster(
  names: readonly string[],
  { kubeconfig, context }: ClusterChoice,
): Promise<readonly CustomResourceDefinition[]> {
  const config = await loadKubeConfig({ path: kubeconfig, context, env: process.env });
  await using client = clientFromKubeConfig(config);
  const found: CustomResourceDefinition[] = [];
  for (const name of names) {
    const one = await client.get(CustomResourceDefinition, name).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (one) found.push(one);
    else found.push(...(await ofGroup(name, (await client.list(CustomResourceDefinition)).items)));
  }
  return found;
}

function ofGroup(
  group: string,
  all: readonly CustomResourceDefinition[],
): readonly CustomResourceDefinition[] {
  const found = all.filter(({ spec }) => spec.group === group);
  if (found.length > 0) return found;
  const names = all.flatMap(({ metadata, spec }) => [metadata?.name ?? "", spec.group]);
  throw new Error(`the cluster has no CustomResourceDefinition or group ${group}${suggestion(group, names)}`);
}
