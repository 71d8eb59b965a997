export type {
  LevelVersion,
  SecurityLevel,
  SecurityMode,
  SecurityPolicy,
} from "../../kinds/pod-security/policy.js";
export { PodSecurity, type PodSecurityExemptions, type PodSecurityOptions } from "./pod-security.js";
