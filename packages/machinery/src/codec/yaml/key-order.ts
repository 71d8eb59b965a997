// The order of keys in YAML that Go's library writes: letters after everything else, and numbers by their value.
const isLetter = (character: string): boolean => /\p{L}/u.test(character);
const digitsFrom = (characters: readonly string[], start: number): string => {
  let end = start;
  while (/\p{Nd}/u.test(characters[end] ?? "")) end++;
  return characters.slice(start, end).join("");
};

/** Below zero where `a` comes first. */
export function compareKeys(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  const at = left.findIndex((character, index) => character !== right[index]);
  if (at < 0 || at >= right.length) return left.length - right.length;
  const [x = "", y = ""] = [left[at], right[at]];
  const [xIsLetter, yIsLetter] = [isLetter(x), isLetter(y)];
  if (xIsLetter !== yIsLetter) return xIsLetter ? 1 : -1;
  if (!xIsLetter) {
    const difference = compareNumbers(left, right, at);
    if (difference !== 0) return difference;
  }
  return (x.codePointAt(0) ?? 0) - (y.codePointAt(0) ?? 0);
}

/** The numbers that begin at a place; behind other digits a zero is no leading one. */
function compareNumbers(left: readonly string[], right: readonly string[], at: number): number {
  const [x, y] = [digitsFrom(left, at), digitsFrom(right, at)];
  const before = /[0-9]*$/.exec(left.slice(0, at).join(""))?.[0] ?? "";
  const prefix = (left[at] === "0" || right[at] === "0") && /[1-9]/.test(before) ? "1" : "";
  const difference = Number(prefix + x || 0) - Number(prefix + y || 0);
  return difference !== 0 ? difference : x.length - y.length;
}
