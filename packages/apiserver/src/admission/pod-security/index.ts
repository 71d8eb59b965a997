export type { LevelVersion, SecurityLevel, SecurityMode, SecurityPolicy } from "@kubewright/kinds";
export { PodSecurity, type PodSecurityExemptions, type PodSecurityOptions } from "./pod-security.js";
