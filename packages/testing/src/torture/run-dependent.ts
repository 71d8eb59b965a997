// What differs from run to run and means nothing: it is taken out of states before they are compared.
import { isObject } from "@kubewright/api";

/** What controllers of the cluster write down for themselves: how often a Deployment was changed, the node of a volume. */
const ofCluster = /^(deployment|volume|volume\.beta|pv)\.kubernetes\.io\//;

export function withoutBookkeeping(annotations: unknown): unknown {
  if (!isObject(annotations)) return annotations;
  const rest = Object.entries(annotations).filter(([name]) => !ofCluster.test(name));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** Without what the server and the scheduler draw: the addresses and ports of a Service, the node of a pod. */
export function withoutDrawn(kind: unknown, spec: unknown): unknown {
  if (!isObject(spec)) return spec;
  if (kind === "Pod") return { ...spec, nodeName: undefined };
  if (kind !== "Service") return spec;
  const { clusterIP: _, clusterIPs: __, healthCheckNodePort: ___, ports, ...rest } = spec;
  const plain = (port: unknown): unknown => (isObject(port) ? { ...port, nodePort: undefined } : port);
  return { ...rest, ports: Array.isArray(ports) ? ports.map(plain) : ports };
}

/** Conditions about what is wrong: a False one says that it is over, and is there only where it was. */
const troubles = new Set(["ReconcileFailed", "FieldConflict", "Degraded", "Stalled"]);

/** Without the conditions that say that something is over. */
export function withoutRecoveries(status: unknown): unknown {
  if (!isObject(status) || !Array.isArray(status["conditions"])) return status;
  const conditions = status["conditions"].filter(
    (each) => !isObject(each) || each["status"] !== "False" || !troubles.has(String(each["type"])),
  );
  const { conditions: __, ...rest } = status;
  return conditions.length === 0 ? rest : { ...rest, conditions };
}

/** Of generations, which count changes, it counts whether the newest was observed; of ports that the server draws, how many there are. */
export function withoutNumbers(value: unknown, generation: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNumbers(item, generation));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    if (key === "observedGeneration") return [key, inner === generation ? "<newest>" : "<older>"];
    if (key === "nodePorts" && Array.isArray(inner)) return [key, inner.map(() => "<port>")];
    return [key, withoutNumbers(inner, generation)];
  });
  return Object.fromEntries(entries);
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Without times, uids and generated names, in the order of the keys. */
export function scrubbed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") {
    if (time.test(value)) return "<time>";
    return names.get(value) ?? value.replace(uid, "<uid>");
  }
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, names));
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .map(([key, inner]) => [key, scrubbed(inner, names)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
