// The containers of a ModelBox: its own with resources and probes, those it names besides, and those of policies.
import type { Container, Probe, ResourceRequirements } from "@kubewright/api";
import { containerPorts } from "@kubewright/runtime/workload";
import type { ModelBox } from "../api/v1/model-box.js";
import type { ProbeSettings } from "../api/v1/probes.js";
import type { Additions } from "./policies.js";

/** All containers, the box's own first. A name that is taken is not given a second time. */
export function containersOf(box: ModelBox, additions: Additions): readonly Container[] {
  return firstOfEachName([
    mainContainer(box, additions),
    ...(box.spec.containers ?? []),
    ...additions.containers,
  ]);
}

/** What runs before them, in order. */
export function initContainersOf(box: ModelBox, additions: Additions): readonly Container[] {
  return firstOfEachName([...(box.spec.initContainers ?? []), ...additions.initContainers]);
}

function mainContainer(box: ModelBox, { tiers }: Additions): Container {
  const { image, envs, ports } = box.spec;
  return {
    name: box.spec.name ?? box.metadata.name ?? "",
    image,
    ...(envs ? { env: envs } : {}),
    resources: resourcesOf(box, tiers),
    ports: containerPorts(ports),
    ...probesOf(box),
  };
}

/** Resources that are given are a tier of their own, also where nobody says so. */
function resourcesOf({ spec }: ModelBox, tiers: Additions["tiers"]): ResourceRequirements {
  const { tier = spec.resources ? "custom" : "small", resources = {} } = spec;
  return tier === "custom" ? resources : tiers[tier];
}

function probesOf({ spec }: ModelBox): Pick<Container, "livenessProbe" | "readinessProbe"> {
  const { path, port = firstPort(spec.ports), liveness, readiness } = spec.probes ?? {};
  if (port === undefined) return {};
  const how: Probe = path === undefined ? { tcpSocket: { port } } : { httpGet: { path, port } };
  const { successThreshold: _one, ...alive } = tuning(liveness);
  return {
    ...(liveness?.enabled === false ? {} : { livenessProbe: { ...how, initialDelaySeconds: 10, ...alive } }),
    ...(readiness?.enabled === false ? {} : { readinessProbe: { ...how, ...tuning(readiness) } }),
  };
}

/** Only TCP can be connected to. */
function firstPort(ports: ModelBox["spec"]["ports"]): number | string | undefined {
  const first = ports.find(({ protocol = "TCP" }) => protocol === "TCP");
  return first && (first.targetPort || first.port);
}

function tuning({ enabled: _enabled, ...settings }: Partial<ProbeSettings> = {}): Partial<Probe> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function firstOfEachName(containers: readonly Container[]): readonly Container[] {
  const byName = new Map<string, Container>();
  for (const container of containers) if (!byName.has(container.name)) byName.set(container.name, container);
  return [...byName.values()];
}
