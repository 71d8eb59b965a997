export {
  attributesClassProtection,
  claimProtection,
  volumeProtection,
} from "./persistent-volume-protection.js";
