// The tag of an image reference, which decides the default pull policy.

const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const host = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const domain = `(?:${host}(?:\\.${host})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const reference = new RegExp(
  `^(?:${domain}/)?${component}(?:/${component})*(?::(\\w[\\w.-]{0,127}))?(@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
);
/** Longer references are refused by every registry; it also bounds the work of the pattern. */
const maxLength = 600;

/** The tag, `latest` when neither tag nor digest is given, and empty when there is only a digest or no valid reference. */
export function imageTag(image: string): string {
  const match = image.length > maxLength ? null : reference.exec(image);
  if (!match) return "";
  return match[1] ?? (match[2] === undefined ? "latest" : "");
}
