// What an agent is asked to do, in its environment, and what it reports, in its termination message. The agent is the operator's own image
// in a pod beside the cluster: only there can a volume claim be mounted.
import type { Retention, StorePlace } from "@kubewright/runtime/backup";
import { z } from "@kubewright/schema";

/** Folders of the agent beside those of its store. */
export const folders = {
  tls: "/client-tls",
  scratch: "/scratch",
} as const;

export type AgentTask =
  | {
      readonly kind: "snapshot";
      readonly store: StorePlace;
      /** Members to choose from: the one that has applied most is taken. */
      readonly hosts: readonly string[];
      readonly isSecure: boolean;
      readonly file: string;
      /** Snapshots kept of those whose name begins so; undefined keeps all. */
      readonly retention: Retention | undefined;
      readonly timeout: number;
    }
  | {
      readonly kind: "fetch";
      readonly store: StorePlace;
      readonly file: string;
      readonly sha256: string | undefined;
      /** Where it is written to. */
      readonly target: string;
      /** A folder that a restore which was interrupted may have left, and that is taken away. */
      readonly clear: string;
    };

export const agentReport = z.object({
  size: z.number(),
  sha256: z.string().min(1),
  revision: z.number().optional(),
  version: z.string().optional(),
  /** The host of the member the snapshot is of. */
  host: z.string().optional(),
});

export type AgentReport = z.infer<typeof agentReport>;
