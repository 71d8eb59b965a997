// The way from the operator to the members. The driver connects to a pod's address where the operator runs in the cluster, and through
// the API server elsewhere. Before there is a user, members accept what they accept only from inside their pod: then the connection
// always goes through the API server, which opens it on the pod's own loopback device.
import type { Duplex } from "node:stream";
import type { Pod } from "@kubewright/api";
import type { AgentEnd } from "../backup/agent-task.js";
import type { ClientTls, Credentials, MongoMember } from "./mongo-member.js";

/** A pod to call. */
export interface AccessTarget {
  readonly pod: Pod;
  /** The replica set the pod is of, as namespace and name. */
  readonly cluster: string;
  /** The name of the member, which its certificate is good for. */
  readonly host: string;
  /** Undefined: nobody logs in, and the connection comes from inside the pod. */
  readonly login: Credentials | undefined;
  readonly tls: ClientTls | undefined;
  /** Opens a connection to a port inside the pod through the API server. */
  readonly forward: (pod: string, port: number) => Promise<Duplex>;
  /** What the pod was started with, which a model has to be told. */
  readonly started: StartedWith;
}

export interface StartedWith {
  /** The uid of its volume claim, under which a model keeps its data. */
  readonly volume: string | undefined;
  /** The text of its configuration file. */
  readonly config: string | undefined;
  readonly keyFile: string | undefined;
  /** What is mounted for TLS at the moment; a process that runs may have read something else. */
  readonly tls: { readonly ca: string; readonly certificateKey: string } | undefined;
}

/** The pod of a name as the API server has it. */
export type LivePod = (name: string) => Promise<Pod | undefined>;

export interface MongoAccess {
  /** True for a model in place of mongod; the status of every replica set says so. */
  readonly isModel: boolean;
  member(target: AccessTarget): MongoMember;
  /** How the agent in a pod ended; undefined while it works. */
  agentEnd(pod: Pod): AgentEnd | undefined;
  /** The fingerprint of the certificate that a member shows; undefined when it shows none. */
  served(target: AccessTarget): Promise<string | undefined>;
  /**
   * Closes what was opened for a replica set but for these pods. They may be an older view of the cluster: `live` asks the API server for one
   * of them, for a model, whose processes would end with it.
   */
  keepOnly(cluster: string, pods: readonly Pod[], live: LivePod): Promise<void>;
}
