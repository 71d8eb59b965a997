export { tokenSecretsController } from "./token-secrets-controller.js";
