/** A kubeconfig, or something it points to, cannot be used. The message says which file and entry, and the remedy. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
