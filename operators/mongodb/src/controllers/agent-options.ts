import type { MongoAccess } from "../client/mongo-access.js";

/** What controllers need whose work agents do. */
export interface AgentOptions {
  readonly access: MongoAccess;
  /** The image that agents run: the operator's own. Rejects where it is not known. */
  readonly agentImage: () => Promise<string>;
}
