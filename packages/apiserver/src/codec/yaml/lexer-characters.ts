// What characters can do in YAML, by their codes.

/** Codes of the characters that mean something. */
export const code = {
  tab: 0x09,
  newline: 0x0a,
  return: 0x0d,
  space: 0x20,
  bang: 0x21,
  doubleQuote: 0x22,
  hash: 0x23,
  percent: 0x25,
  ampersand: 0x26,
  singleQuote: 0x27,
  asterisk: 0x2a,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  less: 0x3c,
  greater: 0x3e,
  question: 0x3f,
  openList: 0x5b,
  backslash: 0x5c,
  closeList: 0x5d,
  openMap: 0x7b,
  pipe: 0x7c,
  closeMap: 0x7d,
  byteOrderMark: 0xfeff,
} as const;

function oneOf(characters: string): (at: number) => boolean {
  const known = new Uint8Array(128);
  for (const character of characters) known[character.charCodeAt(0)] = 1;
  return (at) => known[at] === 1;
}

/** Blanks, line breaks, and the end of the text, which has no code. */
export const isEmpty = (at: number): boolean =>
  at === code.space || at === code.newline || at === code.return || at === code.tab || Number.isNaN(at);

export const isFlowIndicator = oneOf(",[]{}");
export const isHexDigit = oneOf("0123456789ABCDEFabcdef");
export const isTagCharacter = oneOf(
  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-#;/?:@&=+$_.!~*'()",
);

const endsAnchor = oneOf(" ,[]{}\n\r\t");
/** Whether the name of an anchor ends here. */
export const isNoAnchorCharacter = (at: number): boolean => Number.isNaN(at) || endsAnchor(at);

/** Whether `---` or `...` stands alone at a place. */
export function isMarkerAt(text: string, at: number): boolean {
  const first = text.charCodeAt(at);
  if (first !== code.minus && first !== code.dot) return false;
  return (
    text.charCodeAt(at + 1) === first && text.charCodeAt(at + 2) === first && isEmpty(text.charCodeAt(at + 3))
  );
}
