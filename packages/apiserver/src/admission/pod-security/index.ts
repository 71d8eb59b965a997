export { PodSecurity, type PodSecurityExemptions, type PodSecurityOptions } from "./pod-security.js";
export type { LevelVersion, SecurityLevel, SecurityMode, SecurityPolicy } from "./policy.js";
