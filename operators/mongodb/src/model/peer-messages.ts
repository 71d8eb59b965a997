// What members of the model say to each other. mongod's own messages are many more; these carry the same decisions.
import type { MemberState, ReplicaSetConfig } from "../client/replica-set-documents.js";
import type { LogEntry } from "./operations.js";

export type PeerMessage =
  /** To every member at intervals; a primary's holds the entries of the log that the other lacks. */
  | {
      readonly kind: "heartbeat";
      readonly from: string;
      readonly set: string;
      readonly term: number;
      readonly config: ReplicaSetConfig;
      readonly isPrimary: boolean;
      readonly previousIndex: number;
      readonly previousTerm: number;
      readonly entries: readonly LogEntry[];
      readonly committed: number;
    }
  | {
      readonly kind: "vote";
      readonly from: string;
      readonly set: string;
      readonly term: number;
      /** Asks whether it would be granted, and binds nobody. */
      readonly isDryRun: boolean;
      /** The primary has stepped down for it. */
      readonly isHandOver: boolean;
      readonly lastIndex: number;
      readonly lastTerm: number;
      readonly config: ReplicaSetConfig;
    }
  /** From a primary that has stepped down to the member that shall follow it. */
  | { readonly kind: "stand"; readonly from: string; readonly set: string; readonly term: number }
  /** Before a configuration is taken: whether the member is there. */
  | { readonly kind: "ask"; readonly from: string; readonly set: string };

export interface PeerReply {
  readonly set: string;
  readonly term: number;
  readonly state: MemberState;
  readonly lastIndex: number;
  readonly lastTerm: number;
  readonly lastAt: number;
  readonly isInitialized: boolean;
  readonly configVersion: number | undefined;
  readonly configTerm: number | undefined;
  /** The configuration, where it is newer than the one in the message. */
  readonly config?: ReplicaSetConfig | undefined;
  /** Up to where its log is the primary's; undefined where it is not, or is not known to be. */
  readonly matched?: number | undefined;
  readonly isGranted?: boolean | undefined;
}
