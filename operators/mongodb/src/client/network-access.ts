// Members over the network: one connection of the driver for each pod, login and CA, kept between reconciles.
import type { Duplex } from "node:stream";
import type { Pod } from "@kubewright/api";
import { type AgentEnd, endOfPod } from "../backup/agent-task.js";
import { DriverMember } from "./driver-member.js";
import { LoopbackRelay } from "./loopback-relay.js";
import type { AccessTarget, MongoAccess } from "./mongo-access.js";
import type { MongoMember } from "./mongo-member.js";
import { servedCertificate } from "./served-certificate.js";

export interface NetworkAccessOptions {
  /** `direct` for an operator in a pod of the cluster, which reaches the addresses of others. */
  readonly path: "direct" | "forward";
  readonly timeouts?: { readonly connect: number; readonly command: number } | undefined;
}

export const mongodPort = 27_017;
/** A member that does not answer by then counts as away; stepping down may take ten seconds. */
const timeouts = { connect: 3_000, command: 20_000 } as const;

interface Kept {
  readonly pod: string;
  readonly cluster: string;
  /** The database and name of who has logged in. */
  readonly who: string;
  readonly member: DriverMember;
}

/** The way to a pod through the API server. */
interface Way {
  readonly relay: LoopbackRelay;
  forward: () => Promise<Duplex>;
}

export class NetworkAccess implements MongoAccess {
  readonly isModel = false;
  readonly #options: NetworkAccessOptions;
  readonly #members = new Map<string, Kept>();
  readonly #relays = new Map<string, Way>();

  constructor(options: NetworkAccessOptions) {
    this.#options = options;
  }

  member(target: AccessTarget): MongoMember {
    const { pod, login, tls, host, cluster } = target;
    const uid = pod.metadata?.uid ?? "";
    this.#keepForward(target, uid);
    const key = JSON.stringify([uid, pod.status?.podIP, login, tls?.ca]);
    const known = this.#members.get(key);
    if (known) return known.member;
    const who = `${login?.db}.${login?.user}`;
    this.#forget(uid, who);
    const isDirect = this.#options.path === "direct" && login !== undefined;
    const member = new DriverMember({
      what: `${pod.metadata?.namespace}/${pod.metadata?.name}`,
      address: () => (isDirect ? directAddress(pod) : this.#relay(uid)),
      login,
      tls: tls && { ...tls, serverName: host },
      timeouts: this.#options.timeouts ?? timeouts,
    });
    this.#members.set(key, { pod: uid, cluster, who, member });
    return member;
  }

  async served(target: AccessTarget): Promise<string | undefined> {
    const { pod, host, login } = target;
    const uid = pod.metadata?.uid ?? "";
    this.#keepForward(target, uid);
    const isDirect = this.#options.path === "direct" && login !== undefined;
    const address = await (isDirect ? directAddress(pod) : this.#relay(uid)).catch(() => undefined);
    return address && servedCertificate(address, host, (this.#options.timeouts ?? timeouts).connect);
  }

  async keepOnly(cluster: string, pods: readonly Pod[]): Promise<void> {
    const uids = new Set(pods.map(({ metadata }) => metadata?.uid));
    for (const [key, kept] of this.#members) {
      if (kept.cluster !== cluster || uids.has(kept.pod)) continue;
      kept.member.close();
      this.#members.delete(key);
      this.#relays.get(kept.pod)?.relay.close();
      this.#relays.delete(kept.pod);
    }
  }

  agentEnd(pod: Pod): AgentEnd | undefined {
    return endOfPod(pod);
  }

  close(): void {
    for (const { member } of this.#members.values()) member.close();
    for (const { relay } of this.#relays.values()) relay.close();
    this.#members.clear();
    this.#relays.clear();
  }

  /** Ends connections of the same user with another password, certificate or CA. */
  #forget(pod: string, who: string): void {
    for (const [key, kept] of this.#members) {
      if (kept.pod !== pod || kept.who !== who) continue;
      kept.member.close();
      this.#members.delete(key);
    }
  }

  /** The way through the API server as the newest reconcile has it. */
  #keepForward({ pod, forward }: AccessTarget, uid: string): void {
    const open = () => forward(pod.metadata?.name ?? "", mongodPort);
    const known = this.#relays.get(uid);
    if (known) known.forward = open;
    else {
      const made: Way = { forward: open, relay: new LoopbackRelay(() => made.forward()) };
      this.#relays.set(uid, made);
    }
  }

  #relay(uid: string): Promise<string> {
    const found = this.#relays.get(uid);
    return found ? found.relay.address() : Promise.reject(new Error("the pod is gone"));
  }
}

function directAddress({ metadata, status }: Pod): Promise<string> {
  const address = status?.podIP;
  if (!address) return Promise.reject(new Error(`pod ${metadata?.name} has no address`));
  return Promise.resolve(`${address.includes(":") ? `[${address}]` : address}:${mongodPort}`);
}
