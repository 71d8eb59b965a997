// Reads a line of shell as far as a simulation needs it: commands joined by `;`, `&&` and `||`, quotes, and variables.

/** Part of a word; variables in it stand for their values unless it was in single quotes. */
interface Part {
  readonly text: string;
  readonly isLiteral: boolean;
}

/** One command, and how it depends on the one before it. */
export interface ShellCommand {
  readonly joined: ";" | "&&" | "||";
  readonly words: readonly (readonly Part[])[];
}

const token = /\s*(?:(&&|\|\||;|\n)|((?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\;&|]|&(?!&)|\|(?!\|))+))/y;
const quoted = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^'"\\]+)/gs;

/** The commands of a line; throws a SyntaxError when quotes do not end. */
export function parseShell(line: string): readonly ShellCommand[] {
  const commands: { joined: ShellCommand["joined"]; words: (readonly Part[])[] }[] = [];
  let joined: ShellCommand["joined"] = ";";
  let words: (readonly Part[])[] = [];
  const finish = (next: ShellCommand["joined"]): void => {
    if (words.length > 0) commands.push({ joined, words });
    words = [];
    joined = next;
  };
  token.lastIndex = 0;
  while (/\S/.test(line.slice(token.lastIndex))) {
    const [, operator, word] = token.exec(line) ?? [];
    if (word !== undefined) words.push(partsOf(word));
    else if (operator === undefined) throw new SyntaxError("unterminated quoted string");
    else finish(operator === "&&" || operator === "||" ? operator : ";");
  }
  finish(";");
  return commands;
}

/** A word with its variables in place. */
export function expandWord(parts: readonly Part[], variables: Readonly<Record<string, string>>): string {
  return parts
    .map(({ text, isLiteral }) =>
      isLiteral
        ? text
        : text.replace(
            /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*|\?))/g,
            (_, braced?: string, plain?: string) => {
              const name = braced ?? plain ?? "";
              return Object.hasOwn(variables, name) ? (variables[name] ?? "") : "";
            },
          ),
    )
    .join("");
}

function partsOf(word: string): readonly Part[] {
  return [...word.matchAll(quoted)].map(([, single, double, escaped, plain]) => {
    if (single !== undefined) return { text: single, isLiteral: true };
    if (double !== undefined) return { text: double.replace(/\\(["\\`])/g, "$1"), isLiteral: false };
    return escaped === undefined
      ? { text: plain ?? "", isLiteral: false }
      : { text: escaped, isLiteral: true };
  });
}
