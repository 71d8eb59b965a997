// Parts of the schema of a kind whose work a Deployment does.
import { conditions, rule, z } from "@kubewright/schema";

/** The fields `keepWorkload` writes, for the status of the kind. */
export const workloadStatus = () => ({
  observedGeneration: z.int().optional(),
  ready: z.string().optional().describe("Pods that are ready, of those wanted"),
  replicas: z.int32().optional(),
  updatedReplicas: z.int32().optional(),
  readyReplicas: z.int32().optional(),
  availableReplicas: z.int32().optional(),
  unavailableReplicas: z.int32().optional(),
  selector: z.string().optional().describe("Selects the pods; for the scale subresource"),
  address: z.string().optional().describe("Where the Service answers"),
  nodePorts: z.array(z.int32()).optional().describe("Where every node answers"),
  conditions: conditions(),
});

/** The columns `kubectl get` shows of a Deployment, read from that status. */
export const workloadColumns = {
  Ready: ".status.ready",
  "Up-to-date": ".status.updatedReplicas",
  Available: ".status.availableReplicas",
} as const;

/** For `rules` of a kind whose name becomes that of a Service, which is stricter about names than other kinds. */
export const namedLikeService = () =>
  rule("self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')", {
    message:
      "the name is also that of a Service: lower-case letters, digits and dashes, a letter first, at most 63",
  });
