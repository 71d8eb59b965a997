// Who may use the dashboard, and as whom.
import type { Client } from "@kubewright/client";
import type { ClusterControls } from "../controls.js";
import type { ManagerFeed } from "../managers/manager-feed.js";
import type { ObjectFeed } from "../objects/object-feed.js";
import type { About } from "../protocol.js";

/** What a page with a good token may use. */
export interface PageAccess {
  readonly client: Client;
  readonly objects: ObjectFeed;
  readonly managers: ManagerFeed;
  readonly controls: ClusterControls;
  readonly about: About;
  /** Rejects when the person may not pause controllers. */
  demandPause(): Promise<void>;
}

export type Admission =
  | {
      readonly access: PageAccess;
      /** Why the token is no longer good; undefined while it is. Rejects when nobody can say. */
      recheck?(): Promise<string | undefined>;
      /** The page was closed. */
      release(): void;
    }
  | { readonly refusal: string };

export interface Gate {
  /** True when people say a token of their own; false when it is in the address that was printed. */
  readonly signsIn: boolean;
  /** The part of the address behind `#`; empty when people sign in. */
  readonly fragment: string;
  admit(token: string): Promise<Admission>;
  close(): Promise<void>;
}
