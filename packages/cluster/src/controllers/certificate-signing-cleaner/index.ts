export { certificateSigningCleaner } from "./certificate-signing-cleaner.js";
