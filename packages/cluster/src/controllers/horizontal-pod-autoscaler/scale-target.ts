// The object an autoscaler scales: whatever has a scale, of kinds built in or not.
import type { HorizontalPodAutoscaler, Scale } from "@kubewright/api";
import { parseApiVersion } from "@kubewright/api";
import type { Client, DynamicResource } from "@kubewright/client";
import { findKind } from "../../workload/find-kind.js";

export interface ScaleTarget {
  readonly resource: DynamicResource;
  readonly scale: Scale;
}

/** Reads the scale of what the autoscaler refers to; any version of the kind will do. */
export async function readTarget(
  client: Client,
  { metadata, spec }: HorizontalPodAutoscaler,
): Promise<ScaleTarget> {
  const { apiVersion = "", kind, name } = spec.scaleTargetRef;
  const version = parseApiVersion(apiVersion);
  if (version === undefined) throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  const resource = await findKind(client, version.group, version.version, kind);
  if (!resource) throw new Error(`no matches for kind "${kind}" in group "${version.group}"`);
  const { namespace } = metadata ?? {};
  return { resource, scale: await client.getScale(resource, name, { namespace }) };
}
