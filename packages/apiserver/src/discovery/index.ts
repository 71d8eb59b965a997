export { DiscoveryDocuments, type HashedDocument } from "./discovery-documents.js";
export { servedGroups } from "./served-groups.js";
export { compareVersions } from "./version-order.js";
