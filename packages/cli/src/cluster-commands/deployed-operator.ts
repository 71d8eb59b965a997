// The operator of a project as it is, or would be, deployed.
import { Pod } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { ManagerDefinition } from "@kubewright/runtime";
import { manifestSettings, type SettingOverrides } from "../manifests/manifest-settings.js";
import { type Operator, operatorOf, podLabels } from "../manifests/operator.js";

/** What its manifests say. */
export function deployedOperator(
  root: string,
  definition: ManagerDefinition,
  overrides: SettingOverrides,
): Operator {
  return operatorOf(definition, manifestSettings(root, definition.name, overrides));
}

/** Its pods, those that are ready first. */
export async function managerPods(client: Client, operator: Operator): Promise<readonly Pod[]> {
  const labelSelector = Object.entries(podLabels(operator))
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
  const { namespace } = operator.settings;
  const { items } = await client.list(Pod, { namespace, labelSelector });
  return items.toSorted((one, other) => Number(isReady(other)) - Number(isReady(one)));
}

export const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") ?? false;
