// Volumes of claims that wait for their first pod: asked for once a node is chosen. The pod keeps its place until they are
// there, and is bound to the node then.
import { PersistentVolume, PersistentVolumeClaim } from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";
import { boundByController, selectedNode } from "../volumes/claim-binding.js";
import { type Binding, claimsFor, planBinding } from "./plugins/volume-binding.js";
import type { ClusterState } from "./state/cluster-state.js";
import type { PodInfo } from "./state/pod-info.js";

export class VolumeBinder {
  readonly #client: CachedClient;
  readonly #state: ClusterState;
  /** By key of the pod: the node it has its place on. */
  readonly #pending = new Map<string, string>();

  constructor(client: CachedClient, state: ClusterState) {
    this.#client = client;
    this.#state = state;
  }

  /** Keys of pods that wait for their volumes. */
  get pending(): readonly string[] {
    return [...this.#pending.keys()];
  }

  forget(key: string): void {
    this.#pending.delete(key);
  }

  /** How far a pod's volumes are: on the way, there, or (undefined) not begun or given up. */
  progress(pod: PodInfo): "waiting" | { readonly node: string } | undefined {
    const node = this.#pending.get(pod.key);
    if (node === undefined) return undefined;
    const claims = claimsFor(pod, this.#state.volumes);
    const isOff =
      "rejection" in claims
        ? !claims.rejection.startsWith("pod has unbound")
        : claims.waiting.some(({ metadata }) => metadata?.annotations?.[selectedNode] !== node);
    if (isOff) {
      this.#pending.delete(pod.key);
      this.#state.remove(pod.pod);
      return undefined;
    }
    return "rejection" in claims || claims.waiting.length > 0 ? "waiting" : { node };
  }

  /** Asks for the volumes a pod needs on a node; true when it has them all. */
  async begin(pod: PodInfo, name: string): Promise<boolean> {
    const node = this.#state.node(name);
    if (pod.claims.length === 0 || !node) return true;
    const claims = claimsFor(pod, this.#state.volumes);
    if ("rejection" in claims || claims.waiting.length === 0) return true;
    this.#pending.set(pod.key, name);
    for (const binding of planBinding(claims.waiting, this.#state.volumes, node) ?? [])
      await this.#ask(binding, name);
    return false;
  }

  async #ask(binding: Binding, node: string): Promise<void> {
    const { name = "", namespace, uid } = binding.claim.metadata ?? {};
    const fieldManager = "kube-scheduler";
    const chosen = { metadata: { annotations: { [selectedNode]: node } } };
    if ("volume" in binding) {
      const claimRef = { apiVersion: "v1", kind: PersistentVolumeClaim.kind, name, namespace, uid };
      const merge = { metadata: { annotations: { [boundByController]: "yes" } }, spec: { claimRef } };
      await this.#client.patch(
        PersistentVolume,
        binding.volume.metadata?.name ?? "",
        { merge },
        { fieldManager },
      );
    }
    await this.#client.patch(PersistentVolumeClaim, name, { merge: chosen }, { namespace, fieldManager });
  }
}
