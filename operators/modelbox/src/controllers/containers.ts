// The containers of a ModelBox: its own with resources and probes, those it names besides, and those of policies.
import type { Container, Probe, ResourceRequirements } from "@kubewright/api";
import { containerPorts } from "@kubewright/runtime/workload";
import type { ModelBox } from "../api/v1/model-box.js";
import type { ProbeSettings } from "../api/v1/probes.js";
import type { Additions, PodContainers } from "./policies.js";

/**
 * The box's own containers come first, then those of policies. A name is given once, whichever list it is in: the first to have it
 * keeps it.
 */
export function containersOf(box: ModelBox, additions: Additions): PodContainers {
  const own = {
    containers: [mainContainer(box, additions), ...(box.spec.containers ?? [])],
    initContainers: box.spec.initContainers ?? [],
  };
  const taken = new Set<string>();
  const untaken = (containers: readonly Container[]) =>
    containers.filter(({ name }) => !taken.has(name) && taken.add(name));
  const kept = [own, ...additions.pods].map(({ containers, initContainers }) => ({
    containers: untaken(containers),
    initContainers: untaken(initContainers),
  }));
  return {
    containers: kept.flatMap(({ containers }) => containers),
    initContainers: kept.flatMap(({ initContainers }) => initContainers),
  };
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

/** Explicit resources are a tier of their own, also where the spec names no tier. */
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
