// The kinds of resource.k8s.io that have rules of their own.
import { resourceClaims } from "./resource-claim.js";
import { resourceClaimTemplates } from "./resource-claim-template.js";

export const resourceKinds = [resourceClaims, resourceClaimTemplates];
