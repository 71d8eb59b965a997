// The kinds of resource.k8s.io.
import { deviceClasses } from "./device-class.js";
import { resourceClaims } from "./resource-claim.js";
import { resourceClaimTemplates } from "./resource-claim-template.js";
import { resourceSlices } from "./resource-slice.js";

export const resourceKinds = [resourceClaims, resourceClaimTemplates, deviceClasses, resourceSlices];
