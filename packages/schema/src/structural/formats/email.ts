// Mail addresses as Go's net/mail reads them: `a@example.com`, or a name before the address in angle brackets.

const atomCharacter = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~\\u0080-\\u{10ffff}]";
const dotAtom = `${atomCharacter}+(?:\\.${atomCharacter}+)*`;
const quoted = '"(?:[^"\\\\\\u0000-\\u001f]|\\\\[^\\u0000-\\u001f])*"';
const literal = "\\[[^\\[\\]\\\\\\s]+\\]";

const address = new RegExp(`^(?:${dotAtom}|${quoted})@(?:${dotAtom}|${literal})$`, "u");
const displayName = new RegExp(`^(?:[ \\t.]|${atomCharacter}|${quoted})*$`, "u");

/** Whether the text is one mail address. */
export function isEmail(text: string): boolean {
  const trimmed = text.trim();
  if (!trimmed.endsWith(">")) return address.test(trimmed);
  const open = trimmed.lastIndexOf("<");
  return open >= 0 && displayName.test(trimmed.slice(0, open)) && address.test(trimmed.slice(open + 1, -1));
}
