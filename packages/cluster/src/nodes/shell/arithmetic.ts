// Whole-number arithmetic of the shell: `$(( … ))` and `expr`.

const token = /\s*(?:(\d+)|\$?\{?([A-Za-z_]\w*)\}?|(&&|\|\||[<>=!]=|[-+*/%<>()!]))/y;
const levels: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["==", "!="],
  ["<", "<=", ">", ">="],
  ["+", "-"],
  ["*", "/", "%"],
];

/** The value of an expression; undefined where it is beyond this shell. Variables that are no numbers are 0. */
export function evaluate(text: string, variable: (name: string) => string | undefined): number | undefined {
  const tokens = tokensOf(text, variable);
  if (!tokens) return undefined;
  const value = operation(tokens, 0);
  return tokens.length === 0 ? value : undefined;
}

function tokensOf(text: string, variable: (name: string) => string | undefined): string[] | undefined {
  const found: string[] = [];
  const trimmed = text.trimEnd();
  token.lastIndex = 0;
  while (token.lastIndex < trimmed.length) {
    const [all, number, name, sign] = token.exec(trimmed) ?? [];
    if (all === undefined) return undefined;
    found.push(number ?? sign ?? String(Math.trunc(Number(variable(name ?? "") || "0")) || 0));
  }
  return found;
}

/** Operators of one level, from left to right; those of the next level bind closer. */
function operation(tokens: string[], level: number): number | undefined {
  const signs = levels[level];
  if (!signs) return operand(tokens);
  let value = operation(tokens, level + 1);
  while (value !== undefined && signs.includes(tokens[0] ?? "")) {
    const sign = tokens.shift() ?? "";
    const other = operation(tokens, level + 1);
    value = other === undefined ? undefined : applied(sign, value, other);
  }
  return value;
}

function operand(tokens: string[]): number | undefined {
  const first = tokens.shift();
  if (first === undefined) return undefined;
  if (/^-?\d+$/.test(first)) return Number(first);
  if (first === "(") {
    const value = operation(tokens, 0);
    return tokens.shift() === ")" ? value : undefined;
  }
  const value = first === "-" || first === "+" || first === "!" ? operand(tokens) : undefined;
  if (value === undefined) return undefined;
  return first === "-" ? -value : first === "+" ? value : Number(value === 0);
}

function applied(sign: string, a: number, b: number): number | undefined {
  switch (sign) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return b === 0 ? undefined : Math.trunc(a / b);
    case "%":
      return b === 0 ? undefined : a % b;
    case "&&":
      return Number(a !== 0 && b !== 0);
    case "||":
      return Number(a !== 0 || b !== 0);
    default:
      return Number(compared(sign, a, b));
  }
}

function compared(sign: string, a: number, b: number): boolean {
  if (sign === "==") return a === b;
  if (sign === "!=") return a !== b;
  if (sign.startsWith("<")) return sign === "<=" ? a <= b : a < b;
  return sign === ">=" ? a >= b : a > b;
}
