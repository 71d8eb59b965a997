export { claimProtection, volumeProtection } from "./persistent-volume-protection.js";
