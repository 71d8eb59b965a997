// What an agent is asked to do, in its environment, and what it reports, in its termination message. The agent is the operator's own image
// in a pod beside the replica set: only there can a volume claim be mounted.
import type { Pod } from "@kubewright/api";
import { agentEnd, type AgentEnd as EndOf } from "@kubewright/runtime/agent";
import type { Retention, StorePlace } from "@kubewright/runtime/backup";
import { z } from "@kubewright/schema";
import type { AgentLogin } from "../client/login-files.js";

/** Folders of the agent beside those of its store. */
export const folders = { login: "/login", tls: "/client-tls", scratch: "/scratch" } as const;

interface Task {
  readonly store: StorePlace;
  readonly file: string;
  /** The members with data, as host and port. */
  readonly hosts: readonly string[];
  readonly isSecure: boolean;
  readonly login: AgentLogin;
  /** In milliseconds. */
  readonly timeout: number;
}

export type AgentTask =
  | (Task & {
      readonly kind: "backup";
      readonly replicaSet: string;
      /** Undefined keeps all. */
      readonly retention: Retention | undefined;
    })
  | (Task & {
      readonly kind: "restore";
      /** Checked where it is given. */
      readonly sha256: string | undefined;
      readonly replace: boolean;
    });

export const agentReport = z.object({
  size: z.number(),
  sha256: z.string().min(1),
  member: z.string().optional(),
  mongodbVersion: z.string().optional(),
  consistency: z.enum(["Snapshot", "Majority"]).optional(),
  /** In seconds since 1970. */
  clusterTime: z.number().optional(),
  databases: z.number(),
  collections: z.number(),
  documents: z.number(),
  users: z.number().optional(),
  roles: z.number().optional(),
});

export type AgentReport = z.infer<typeof agentReport>;
export type AgentEnd = EndOf<AgentReport>;

/** How the agent in a pod ended, by the pod's status. */
export const endOfPod = (pod: Pod): AgentEnd | undefined => agentEnd(pod, agentReport);
