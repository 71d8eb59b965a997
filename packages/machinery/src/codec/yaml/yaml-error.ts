/** The text is no YAML that can be turned into JSON. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}
