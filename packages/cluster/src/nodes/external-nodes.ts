// Simulated nodes for any API server: they live in this process, and the control plane is somewhere else.
import { type Clock, ConfigMap, isNotFound, LabelMatcher, Node, Pod, systemClock } from "@kubewright/api";
import type { Listener } from "@kubewright/apiserver";
import type { Client } from "@kubewright/client";
import { CachedClient, InformerPool } from "@kubewright/runtime";
import { EventWriter } from "../events/event-recorder.js";
import { openToAll, ReviewedAuth } from "./kubelet-auth.js";
import { kubeletCertificate } from "./kubelet-certificate.js";
import { openKubeletEndpoint } from "./kubelet-endpoint.js";
import { type NodesOption, nodeNameOf, nodeSpecs } from "./node-spec.js";
import type { Rule, RuleHandle } from "./rules/rule.js";
import { RuleSet } from "./rules/rule-set.js";
import { SimulatedNodes } from "./simulated-nodes.js";
import { SimulatedRuntime } from "./simulated-runtime.js";

/** The label with the name of the simulation that runs a node. */
export const managerLabel = "kubewright.dev/nodes";

/** Options of simulated nodes for another cluster. */
export interface ExternalNodesOptions {
  /** May make nodes, leases, statuses of pods, events, and read what pods refer to. */
  readonly client: Client;
  /** The same as another user; for the serving certificate of the kubelet. Without it the certificate is not the cluster's. */
  readonly actAs?: ((user: string, groups: readonly string[]) => Client) | undefined;
  /** How many nodes, or which; those that are there already are taken over. Default: one. */
  readonly nodes?: NodesOption | undefined;
  /** A label selector of other nodes to simulate, too, as in `kubectl get -l`. Default: none. */
  readonly selector?: string | undefined;
  /** The label of the nodes made here, so that several simulations can share a cluster. Default: `kubewright`. */
  readonly name?: string | undefined;
  /** The rules of the simulation. */
  readonly rules?: readonly Rule[] | undefined;
  /** Where the API server reaches logs and programs of pods. Default: a free port of 127.0.0.1. */
  readonly kubelet?:
    | {
        readonly host?: string | undefined;
        readonly port?: number | undefined;
        /** The address that nodes give as theirs. Default: the host. */
        readonly address?: string | undefined;
        /** Answers callers without a certificate or token; for API servers that have none to show. Default: false. */
        readonly anonymous?: boolean | undefined;
      }
    | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly onError?: ((where: string, error: unknown) => void) | undefined;
}

/** Simulated nodes of another cluster. */
export interface ExternalNodes {
  /** How many nodes have a kubelet here. */
  readonly size: number;
  readonly kubeletUrl: string;
  /** Why the certificate of the kubelet is not one of the cluster; undefined when it is. */
  readonly certificateProblem: string | undefined;
  /** Adds a rule. */
  simulate(rule: Rule): RuleHandle;
  /** Stops; `remove` takes away the nodes made here, so that their pods are collected. */
  close(options?: { readonly remove?: boolean }): Promise<void>;
}

/**
 * Starts simulated nodes for an API server.
 *
 * @example
 * const nodes = await startNodes({ client, nodes: 100 });
 */
export async function startNodes(options: ExternalNodesOptions): Promise<ExternalNodes> {
  const { client, clock = systemClock, random = Math.random, name = "kubewright" } = options;
  const { host = "127.0.0.1", port = 0, anonymous = false } = options.kubelet ?? {};
  const address = options.kubelet?.address ?? host;
  const report = options.onError ?? (() => undefined);
  const pool = new InformerPool({
    client,
    clock,
    random,
    onError: ({ kind }, error) => report(`watch ${kind}`, error),
  });
  const events = new EventWriter(clock);
  const rules = new RuleSet();
  for (const each of options.rules ?? []) rules.add(each);
  const selected = options.selector === undefined ? undefined : LabelMatcher.parse(options.selector);
  const specs = nodeSpecs(options.nodes ?? 1).map((spec) => ({
    ...spec,
    labels: { ...spec.labels, [managerLabel]: name },
  }));
  const first = specs[0] ? nodeNameOf(specs[0], 0) : "kubewright-nodes";
  const certificate = await kubeletCertificate({
    client,
    asNode: options.actAs?.(`system:node:${first}`, ["system:nodes"]) ?? client,
    node: first,
    hosts: [...new Set([address, "127.0.0.1"])],
    clock,
  });
  const pods = pool.acquire(Pod);
  let listener: Listener | undefined;
  const nodes = new SimulatedNodes({
    control: new CachedClient(client, pool),
    access: (node) => ({
      client: new CachedClient(client, pool),
      events: events.recorder(client, "kubelet", node),
    }),
    pool,
    clock,
    random,
    nodes: specs,
    runtime: new SimulatedRuntime({ clock, random, rules }),
    rules,
    claimsGetBound: true,
    report,
    external: {
      address,
      kubeletPort: () => listener?.port ?? port,
      manages: ({ metadata }: Node) =>
        metadata?.labels?.[managerLabel] === name || (selected?.matches(metadata?.labels) ?? false),
    },
  });
  listener = await openKubeletEndpoint({
    host,
    port,
    serving: certificate,
    clientAuthority: await clientAuthority(client),
    auth: anonymous ? openToAll : new ReviewedAuth(client, clock),
    pods: {
      list: () => pods.informer.store.list().filter(({ spec }) => nodes.has(spec?.nodeName ?? "")),
      get: (namespace, pod) => pods.informer.store.get(`${namespace}/${pod}`),
      connect: (connection) => nodes.connect(connection),
    },
  });
  const close = async ({ remove = false } = {}): Promise<void> => {
    await listener?.close();
    await nodes.close();
    await events.close();
    await pods.release();
    await pool.close();
    if (remove) await client.deleteCollection(Node, { labelSelector: `${managerLabel}=${name}` });
  };
  try {
    await pods.informer.synced();
    await nodes.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    get size() {
      return nodes.size;
    },
    kubeletUrl: listener.url,
    certificateProblem: certificate.why,
    simulate: (rule) => rules.add(rule),
    close,
  };
}

/** The CA of the API server's client certificate: the one extension API servers use, or the CA of the cluster. */
async function clientAuthority(client: Client): Promise<string> {
  const sources = [
    ["extension-apiserver-authentication", "client-ca-file"],
    ["kube-root-ca.crt", "ca.crt"],
  ] as const;
  for (const [map, key] of sources) {
    try {
      const { data } = await client.get(ConfigMap, map, { namespace: "kube-system" });
      const found = data?.[key];
      if (found) return found;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return "";
}
